import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { InstallationKey, InstallationState } from "../../src/accounts/installation.ts";
import { Installations } from "../../src/accounts/installations.ts";
import { finishWaiting, type SetUpServices } from "../../src/accounts/set-up.ts";
import { composeAccounts } from "../../src/app/accounts.ts";
import { readConfig } from "../../src/app/config.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SEAL = createSeal(new Secret("key of the tests"));
const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
const APP = "00000000-0000-4000-8000-000000000001";

for (const kind of TRIED_DATABASES) {
  describeDatabase("installations that wait for a register", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let installations: Installations;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    beforeEach(async () => {
      await store.db.deleteFrom("installations").execute();
      installations = new Installations({ store, seal: SEAL, clock: new VirtualClock(NOW_MS) });
    });
    afterAll(() => database.drop());

    const installed = async (accountId: string, state: InstallationState): Promise<InstallationKey> => {
      const key = { appId: APP, accountId };
      await installations.activate(key, {}, state === "active" ? "active" : "settings_required");
      if (state === "suspended") await installations.deactivate(key, "suspended");
      return key;
    };
    const stateOf = async (key: InstallationKey) => (await installations.get(key))?.state;
    /** Services for the set-up, and the accounts about which the platform was told. */
    const setUp = (changes: Partial<SetUpServices> = {}) => {
      const told: string[] = [];
      const tell = async ({ accountId }: InstallationKey) => {
        told.push(accountId);
        return { kind: "reported" } as const;
      };
      return { told, services: { installations, isComplete: async () => true, tell, ...changes } };
    };

    describe("at the server's start", () => {
      it("become active, each told to the platform once, and no other is touched", async () => {
        const waiting = [await installed("north", "settings_required"), await installed("south", "settings_required")];
        const others = [await installed("active", "active"), await installed("suspended", "suspended")];
        const { told, services } = setUp();
        expect(await finishWaiting(services)).toEqual([]);
        expect(told.toSorted()).toEqual(["north", "south"]);
        expect(await Promise.all([...waiting, ...others].map(stateOf))).toEqual(["active", "active", "active", "suspended"]);
        expect(await finishWaiting(services)).toEqual([]);
        expect(told).toHaveLength(2);
      });

      it("go on waiting while they lack a register, and nobody is told", async () => {
        const key = await installed("north", "settings_required");
        const { told, services } = setUp({ isComplete: async () => false });
        expect(await finishWaiting(services)).toEqual([]);
        expect([told, await stateOf(key)]).toEqual([[], "settings_required"]);
      });

      it("are reported when the platform could not be told, and the next is told all the same", async () => {
        const [lost, next] = [await installed("lost", "settings_required"), await installed("next", "settings_required")];
        const { services } = setUp({
          tell: async ({ accountId }) =>
            accountId === "lost" ? { kind: "not-installed", reply: { status: 404, words: "", errors: [] } } : { kind: "reported" },
        });
        expect(await finishWaiting(services)).toEqual([{ key: lost, kind: "not-told", problem: expect.stringContaining("404") }]);
        expect([await stateOf(lost), await stateOf(next)]).toEqual(["settings_required", "active"]);
      });

      it("become active although a row cannot be read, and although one of them cannot be looked at", async () => {
        const [spoilt, odd] = [await installed("spoilt", "settings_required"), await installed("odd", "settings_required")];
        const next = await installed("next", "settings_required");
        await store.commit((tx) => tx.updateTable("installations").set({ subscription: "{" }).where("account_id", "=", "spoilt").execute());
        const { told, services } = setUp({
          isComplete: async ({ accountId }) => {
            if (accountId === "odd") throw new Error("a setting cannot be read");
            return true;
          },
        });
        expect(await finishWaiting(services)).toEqual([{ key: odd, kind: "failed", problem: "a setting cannot be read" }]);
        expect(told.toSorted()).toEqual(["next", "spoilt"]);
        expect(await installations.keys(["active"])).toEqual(expect.arrayContaining([spoilt, next]));
      });

      it("are complete by a default register that was configured meanwhile, or by a binding of their own", async () => {
        const [bound, unbound] = [await installed("bound", "settings_required"), await installed("unbound", "settings_required")];
        const accountsWith = (environment: Record<string, string>) =>
          composeAccounts({
            config: readConfig({
              NODE_ENV: "production",
              SECRET_KEY: "a key of the tests' own",
              CREDENTIALS: JSON.stringify([{ appId: APP, appUid: "shop.fiscal", secretKey: "a secret" }]),
              ...environment,
            }),
            store,
            clock: new VirtualClock(NOW_MS),
            chance: systemChance,
            log: silentLog,
            parseRegister: parseAddress,
          });
        const without = accountsWith({});
        expect(await without.settings.set(bound, "store-1", "register", "emulator:one")).toMatchObject({ kind: "set" });
        const first = setUp({ isComplete: without.setUp.isComplete });
        await finishWaiting(first.services);
        expect([first.told, await stateOf(bound), await stateOf(unbound)]).toEqual([["bound"], "active", "settings_required"]);
        const withDefault = accountsWith({ DEFAULT_REGISTER: "shtrih-m+tcp://10.0.0.7:7778" });
        const second = setUp({ isComplete: withDefault.setUp.isComplete });
        await finishWaiting(second.services);
        expect([second.told, await stateOf(unbound)]).toEqual([["unbound"], "active"]);
      });
    });
  });
}
