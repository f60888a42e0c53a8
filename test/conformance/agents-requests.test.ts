import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { AgentDesk } from "../../src/agents/desk.ts";
import { insertRequest, selectAnswer } from "../../src/agents/request-queries.ts";
import { AgentRequests, askServer } from "../../src/agents/requests.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Store } from "../../src/store/database.ts";
import { AgentBench } from "../support/agents-bench.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { HurriedClock } from "../support/hurried-clock.ts";

const ANSWER_MS = 15_000;

for (const kind of TRIED_DATABASES.filter(({ title }) => title !== "SQLite in a file"))
  describeDatabase("the requests of commands about agents", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());
    beforeEach(() => store.commit((tx) => tx.deleteFrom("agent_requests").execute()));

    /** The process that answers all requests for which no connection is needed, and the agent `busy` at another process. */
    async function chosenProcess() {
      const bench = await AgentBench.open(store, { process: "one" });
      bench.hub.follow({ busy: "two" }, () => true);
      const clock = new HurriedClock();
      clock.hurry();
      const desk = new AgentDesk({ store, clock });
      const requests = new AgentRequests({ store, clock, log: silentLog, hub: bench.hub, desk, isChosen: async () => true });
      const list = () => askServer({ store, clock, chance: systemChance }, { kind: "list" }, deadlineIn(clock, ANSWER_MS));
      const put = (id: string, agoMs: number, request: string) =>
        store.commit((tx) => insertRequest(tx, { id, asked_at_ms: clock.nowMs() - agoMs, request }));
      const close = async () => {
        await requests.close();
        await bench.hub.close();
      };
      return { requests, list, put, close };
    }

    it("are answered behind a row that cannot be read, which is answered as unknown, and an old row is deleted", async () => {
      const { requests, list, put, close } = await chosenProcess();
      await put("unreadable", 1_000, '{"kind":"li');
      await put("forgotten", 700_000, '{"kind":"log","name":"busy","lines":1}');
      requests.start();
      expect(await list()).toEqual({ kind: "done", result: [] });
      await close();
      const answer = await store.read((db) => selectAnswer(db, "unreadable"));
      expect(JSON.parse(answer ?? "null")).toEqual({ kind: "failed", reason: expect.stringContaining("does not know this request") });
      expect(await store.read((db) => selectAnswer(db, "forgotten"))).toBeUndefined();
    });

    it("are answered behind any number of older ones that wait for another process", async () => {
      const { requests, list, put, close } = await chosenProcess();
      for (let number = 0; number < 250; number += 1) await put(`waiting-${number}`, 1_000, '{"kind":"log","name":"busy","lines":1}');
      requests.start();
      expect(await list()).toEqual({ kind: "done", result: [] });
      await close();
    });
  });
