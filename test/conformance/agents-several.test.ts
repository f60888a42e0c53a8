import { expect, it, onTestFinished } from "vitest";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { AgentDesk } from "../../src/agents/desk.ts";
import { AgentRequests, askServer } from "../../src/agents/requests.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { CLOSE } from "../../src/registers/agent/wire/protocol.ts";
import { AgentBench } from "../support/agents-bench.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("agents of several processes", kind, () => {
    /** Two processes; the shop's agent is connected to the first. */
    async function two() {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const store = await database.open();
      await store.migrate();
      const [one, other] = [await AgentBench.open(store, { process: "one" }), await AgentBench.open(store, { process: "other" })];
      const shop = await one.enrol("shop");
      const { player } = await one.connect(shop);
      await one.stored();
      const of = ({ clock, hub }: AgentBench) => {
        const desk = new AgentDesk({ store, clock, live: hub });
        return { desk, requests: new AgentRequests({ store, clock, log: silentLog, hub, desk }) };
      };
      return { store, one, other, shop, player, at: { one: of(one), other: of(other) } };
    }

    it("end the connection of an agent that was revoked at another", async () => {
      const { one, player, at } = await two();
      expect(await at.other.desk.revoke("shop", OPERATOR)).toBe(true);
      await one.hub.refreshConnected();
      expect(await player.closed()).toMatchObject({ code: CLOSE.revoked });
    });

    it("end the connection of an agent in whose place another was enrolled at another", async () => {
      const { one, other, player } = await two();
      await other.enrol("shop", undefined, true);
      await one.hub.refreshConnected();
      expect(await player.closed()).toMatchObject({ code: CLOSE.unknown });
    });

    it("end a connection in order when the agent has a newer one at another", async () => {
      const { one, other, shop, player } = await two();
      await one.hub.refreshConnected();
      await other.connect(shop, { epoch: 1 });
      await other.stored();
      await one.hub.refreshConnected();
      expect(await player.closed()).toMatchObject({ code: CLOSE.normal });
    });

    it("show an agent as connected that is connected to another", async () => {
      const { at } = await two();
      expect(await at.other.desk.list()).toMatchObject([{ name: "shop", state: "connected" }]);
    });

    it("leave a question to an agent to the process to which it is connected", async () => {
      const { store, one, other, player, at } = await two();
      const asked = askServer({ store, clock: one.clock, chance: systemChance }, { kind: "log", name: "shop", lines: 5 }, one.in(60_000));
      await until(async () => (await store.db.selectFrom("agent_requests").selectAll().execute()).length === 1);
      await at.other.requests.look();
      await other.clock.advance(0);
      await at.one.requests.look();
      const call = await player.nextCall();
      expect(call).toMatchObject({ do: "log", lines: 5 });
      player.send({ answer: call.call, result: { lines: ["a line"] } });
      await at.one.requests.close();
      await one.clock.advance(1_000);
      expect(await asked).toMatchObject({ kind: "done", result: { kind: "lines", lines: ["a line"] } });
    });
  });

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}
