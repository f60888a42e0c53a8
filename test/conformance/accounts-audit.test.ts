import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { auditLines } from "../../src/accounts/audit.ts";
import { Installations } from "../../src/accounts/installations.ts";
import { finishSetUp } from "../../src/accounts/set-up.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SEAL = createSeal(new Secret("key of the tests"));
const NOW_MS = Date.parse("2026-03-02T09:00:00Z");

for (const kind of TRIED_DATABASES) {
  describeDatabase("the audit of installations", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    const one = () => ({ appId: randomUUID(), accountId: randomUUID() });
    const installations = () => new Installations({ store, seal: SEAL, clock: new VirtualClock(NOW_MS) });

    /** The lines of an account, oldest first, as `who: what, before > after`. */
    async function linesOf({ accountId }: { accountId: string }): Promise<string[]> {
      const lines = await auditLines(store, { accountId, limit: 20 });
      expect(lines.every(({ atMs, storeId }) => atMs === NOW_MS && storeId === undefined)).toBe(true);
      const worded = lines.map(
        ({ actor, place, act, subject, before, after }) => `${actor} (${place}): ${act} ${subject}, ${before ?? "none"} > ${after}`,
      );
      return worded.reverse();
    }

    it("has a line for each change of state by the platform, and none for a repeat", async () => {
      const [key, known] = [one(), installations()];
      await known.activate(key, {}, "active", "Install");
      await known.activate(key, { accountName: "north" }, "active", "Install");
      await known.deactivate(key, "suspended", "Suspend");
      await known.deactivate(key, "suspended", "Suspend");
      await known.activate(key, {}, "active", "Resume");
      await known.change(key, { accountName: "south" });
      await known.deactivate(key, "uninstalled", "Uninstall");
      await known.deactivate(key, "uninstalled", "Uninstall");
      expect(await linesOf(key)).toEqual([
        "platform (server): installation Install, none > active",
        "platform (server): installation Suspend, active > suspended",
        "platform (server): installation Resume, suspended > active",
        "platform (server): installation Uninstall, active > uninstalled",
      ]);
    });

    it("names who made the last missing setting, and the server where its start completed the set-up", async () => {
      const tell = async () => ({ kind: "reported" }) as const;
      const setUp = { installations: installations(), isComplete: async () => true, tell };
      const [byPerson, byStart] = [one(), one()];
      for (const key of [byPerson, byStart]) await setUp.installations.activate(key, {}, "settings_required", "Install");
      const anna = { name: "anna", place: "page" } as const;
      expect(await finishSetUp(setUp, byPerson, anna)).toEqual({ kind: "activated" });
      expect(await finishSetUp(setUp, byPerson, anna)).toEqual({ kind: "not-waiting" });
      expect(await finishSetUp(setUp, byStart)).toEqual({ kind: "activated" });
      const first = "platform (server): installation Install, none > settings_required";
      expect(await linesOf(byPerson)).toEqual([first, "anna (page): installation set-up, settings_required > active"]);
      expect(await linesOf(byStart)).toEqual([first, "server (server): installation set-up, settings_required > active"]);
    });

    it("has one line for a change of state that comes several times at the same moment", async () => {
      const known = installations();
      const expected = [
        "platform (server): installation Install, none > settings_required",
        "server (server): installation set-up, settings_required > active",
        "platform (server): installation Suspend, active > suspended",
        "platform (server): installation Resume, suspended > active",
      ];
      for (let time = 0; time < 5; time += 1) {
        const key = one();
        const twice = async (change: () => Promise<unknown>) => Promise.all([change(), change()]);
        await twice(() => known.activate(key, {}, "settings_required", "Install"));
        expect((await twice(() => known.completeSetUp(key))).sort()).toEqual([false, true]);
        await twice(() => known.deactivate(key, "suspended", "Suspend"));
        await twice(() => known.activate(key, {}, "active", "Resume"));
        expect(await linesOf(key)).toEqual(expected);
      }
    });

    it("has no line where nothing was installed", async () => {
      const key = one();
      expect(await installations().deactivate(key, "uninstalled", "Uninstall")).toBe("absent");
      expect(await linesOf(key)).toEqual([]);
    });
  });
}
