import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { auditOf } from "../../src/accounts/audit.ts";
import { NOT_SET, Settings } from "../../src/accounts/settings.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { parseRegister } from "../support/vendor.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SEAL = createSeal(new Secret("key of the tests"));
const ANNA = { name: "anna@shop", place: "page" } as const;
const OLGA = { name: "olga@shop", place: "page" } as const;

for (const kind of TRIED_DATABASES) {
  describeDatabase("changes of settings by several people", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let settings: Settings;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      const clock = new VirtualClock(Date.parse("2026-03-02T09:00:00Z"));
      settings = new Settings({ store, seal: SEAL, clock, defaults: {}, parseRegister, parseAcquirer: () => ({ kind: "none" }) });
    });
    afterAll(() => database.drop());
    const key = () => ({ appId: randomUUID(), accountId: randomUUID() });
    const linesOf = async (one: ReturnType<typeof key>) =>
      (await auditOf(store, one, "store-1", 10)).map(({ actor, subject, before, after }) => ({ actor, subject, before, after }));

    it("leave a line of audit each, in the commit of the change, without secrets", async () => {
      const one = key();
      const register = { name: "register", text: "emulator:till?systemPassword=77", seen: NOT_SET };
      expect(await settings.change(one, "store-1", [{ name: "paper", text: "58", seen: NOT_SET }, register], ANNA)).toEqual({
        kind: "changed",
        names: ["paper", "register"],
      });
      await settings.change(one, "store-1", [{ name: "paper", text: "" }], OLGA);
      expect(await linesOf(one)).toEqual([
        { actor: "olga@shop", subject: "paper", before: "58", after: undefined },
        { actor: "anna@shop", subject: "register", before: undefined, after: "emulator:till?systemPassword=***" },
        { actor: "anna@shop", subject: "paper", before: undefined, after: "58" },
      ]);
    });

    it("overwrite nothing that somebody else has changed since it was shown, and show both values", async () => {
      const one = key();
      const seen = NOT_SET;
      await settings.change(one, "store-1", [{ name: "paper", text: "58", seen }], ANNA);
      const late = [
        { name: "itemKind", text: "service", seen },
        { name: "paper", text: "a4", seen },
      ];
      expect(await settings.change(one, "store-1", late, OLGA)).toEqual({
        kind: "overtaken",
        settings: [{ name: "paper", shown: "58", version: expect.stringMatching(/^.{16}$/) }],
      });
      expect((await settings.versions(one, "store-1")).map(({ name, shown }) => [name, shown])).toEqual([["paper", "58"]]);
      expect(await linesOf(one)).toHaveLength(1);
    });

    it("overwrite nothing when two people change the same setting at the same moment", async () => {
      const one = key();
      const pairs = Array.from({ length: 10 }, (_, number) => `store-${number}`);
      for (const storeId of pairs) {
        const both = [
          settings.change(one, storeId, [{ name: "paper", text: "58", seen: NOT_SET }], ANNA),
          settings.change(one, storeId, [{ name: "paper", text: "a4", seen: NOT_SET }], OLGA),
        ];
        expect((await Promise.all(both)).map(({ kind }) => kind).sort()).toEqual(["changed", "overtaken"]);
        expect(await auditOf(store, one, storeId, 10)).toHaveLength(1);
      }
    });

    it("notice a password that somebody else has changed, although it is shown as *** before and after", async () => {
      const one = key();
      await settings.change(one, "store-1", [{ name: "register", text: "emulator:till?systemPassword=1" }], ANNA);
      const [shown] = await settings.versions(one, "store-1");
      await settings.change(one, "store-1", [{ name: "register", text: "emulator:till?systemPassword=2" }], OLGA);
      const mine = { name: "register", text: "emulator:other?systemPassword=***", seen: shown?.version ?? "" };
      expect(await settings.change(one, "store-1", [mine], ANNA)).toMatchObject({ kind: "overtaken" });
      expect((await settings.of(one.appId, one.accountId, "store-1")).register).toBe("emulator:till?systemPassword=2");
    });

    it("are made once when they come twice, also the second time after somebody's page was drawn", async () => {
      const one = key();
      const change = [{ name: "paper", text: "58", seen: NOT_SET }];
      expect(await settings.change(one, "store-1", change, ANNA)).toEqual({ kind: "changed", names: ["paper"] });
      expect(await settings.change(one, "store-1", change, ANNA)).toEqual({ kind: "changed", names: [] });
      expect(await linesOf(one)).toHaveLength(1);
    });

    it("are all made or none: one wrong value keeps the others from being stored", async () => {
      const one = key();
      const change = [
        { name: "paper", text: "58", seen: NOT_SET },
        { name: "senderEmail", text: "nonsense", seen: NOT_SET },
      ];
      expect(await settings.change(one, "store-1", change, ANNA)).toMatchObject({ kind: "refused", problems: [{ name: "senderEmail" }] });
      expect(await settings.versions(one, "store-1")).toEqual([]);
    });
  });
}
