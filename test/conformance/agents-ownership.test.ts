import { afterAll, beforeAll, expect, it } from "vitest";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { unknownAgentOf } from "../../src/agents/ownership.ts";
import { composeAccounts } from "../../src/app/accounts.ts";
import { readConfig } from "../../src/app/config.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import type { Store } from "../../src/store/database.ts";
import { AGENT_ACCOUNT, AgentBench, OTHER_ACCOUNT } from "../support/agents-bench.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";

for (const kind of TRIED_DATABASES.filter(({ title }) => title !== "SQLite in a file")) {
  describeDatabase("the name of an agent", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    it("is set as a register by its own account only, and is unknown to others", async () => {
      const bench = await AgentBench.open(store);
      await bench.enrol("shop");
      const parts = { config: readConfig({}), store, clock: systemClock, chance: systemChance, log: silentLog };
      const { settings, close } = composeAccounts({ ...parts, parseRegister: parseAddress });
      const set = (key: typeof AGENT_ACCOUNT, address: string) => settings.set(key, "store", "register", address, OPERATOR);
      expect(await set(AGENT_ACCOUNT, "agent:shop/second?drive=any")).toEqual({ kind: "set" });
      const [foreign, unknown] = [await set(OTHER_ACCOUNT, "agent:shop"), await set(OTHER_ACCOUNT, "agent:nobody")];
      expect(foreign).toMatchObject({ kind: "refused", problem: expect.stringContaining("register: the account has no agent shop") });
      expect(unknown).toMatchObject({ kind: "refused", problem: expect.stringContaining("register: the account has no agent nobody") });
      expect(await set(OTHER_ACCOUNT, "emulator:other")).toEqual({ kind: "set" });
      await close();
      await bench.hub.close();
    });

    it("belongs to the account of a code as long as the code works", async () => {
      const bench = await AgentBench.open(store);
      await bench.enrolment.issue({ name: "soon", key: AGENT_ACCOUNT, minutes: 1, replace: false, actor: OPERATOR });
      const unknown = (key: typeof AGENT_ACCOUNT) => store.read((db) => unknownAgentOf(db, key, "agent:soon", bench.clock.nowMs()));
      expect([await unknown(AGENT_ACCOUNT), await unknown(OTHER_ACCOUNT)]).toEqual([undefined, "soon"]);
      await bench.clock.advance(60_000);
      expect(await unknown(AGENT_ACCOUNT)).toBe("soon");
      await bench.hub.close();
    });
  });
}
