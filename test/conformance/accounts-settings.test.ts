import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Installations } from "../../src/accounts/installations.ts";
import { finishSetUp, type SetUpServices } from "../../src/accounts/set-up.ts";
import { Settings, type SettingsServices } from "../../src/accounts/settings.ts";
import { Journal } from "../../src/journal/journal.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { entryContent } from "../support/journal-entries.ts";
import { parseRegister } from "../support/vendor.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SEAL = createSeal(new Secret("key of the tests"));
const OTHER_SEAL = createSeal(new Secret("another key"));
const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
const key = () => ({ appId: randomUUID(), accountId: randomUUID() });

for (const kind of TRIED_DATABASES) {
  describeDatabase("what accounts are set to", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    const services = () => ({ store, seal: SEAL, clock: new VirtualClock(NOW_MS) });
    const settingsWith = (changes: Partial<SettingsServices> = {}) =>
      new Settings({ ...services(), defaults: {}, parseRegister, parseAcquirer: () => ({ kind: "none" }), ...changes });

    describe("settings", () => {
      it.each([
        ["taxSystem", "taxSystemIsSet", "patent", "eshn"],
        ["timeZone", "timeZoneIsSet", "Asia/Omsk", "Europe/Samara"],
      ] as const)(
        "tell whether %s was chosen for the point of sale or its account, and is no default",
        async (name, isSet, value, other) => {
          const settings = settingsWith({ defaults: { [name]: value } });
          const one = key();
          const chosen = async () => (await settings.of(one.appId, one.accountId, "store-1"))[isSet] ?? false;
          expect(await chosen()).toBe(false);
          await settings.set(one, "store-2", name, other);
          await settings.set(one, "store-1", "paper", "58");
          expect(await chosen()).toBe(false);
          await settings.set(one, "store-1", name, value);
          expect(await chosen()).toBe(true);
          await settings.set(one, "store-1", name, "");
          expect(await chosen()).toBe(false);
          await settings.set(one, "*", name, other);
          expect(await chosen()).toBe(true);
        },
      );

      it("take the owner's e-mail address where the server sends e-mail, and say in words why not where it does not", async () => {
        const one = key();
        const refused = await settingsWith().set(one, "store-1", "alertEmail", "owner@shop.example");
        expect(refused).toEqual({ kind: "refused", problem: expect.stringMatching(/sends no e-mail.*ALERT_CHANNEL/) });
        const settings = settingsWith({ sendsMail: true });
        for (const wrong of ["owner", "owner@shop.example\r\nBcc: all@evil.example", "a@b.example, c@d.example"]) {
          expect(await settings.set(one, "store-1", "alertEmail", wrong)).toMatchObject({ kind: "refused" });
        }
        expect(await settings.set(one, "store-1", "alertEmail", "owner@shop.example")).toEqual({ kind: "set" });
        expect((await settings.of(one.appId, one.accountId, "store-1")).alertEmail).toBe("owner@shop.example");
        expect((await settings.of(one.appId, one.accountId, "store-2")).alertEmail).toBeUndefined();
        // An owner can refuse alerts, whatever the server sends.
        expect(await settingsWith().set(one, "store-1", "alertEmail", "")).toEqual({ kind: "removed" });
      });

      it("come from the built-in values, the configuration, the account and the store, the last wins", async () => {
        const settings = settingsWith({ defaults: { taxSystem: "patent", timeZone: "Asia/Omsk" } });
        const one = key();
        expect(await settings.of(one.appId, one.accountId, "store-1")).toEqual({
          taxSystem: "patent",
          vatPayer: true,
          itemKind: "goods",
          lateMoney: "refund",
          loyalty: "off",
          qrDescription: "{store}, {receipt}",
          qrExpiryMinutes: 10,
          timeZone: "Asia/Omsk",
          paper: "80",
          shiftOpening: "platform",
          buyerContact: "email",
        });
        await settings.set(one, "*", "timeZone", "Asia/Chita");
        await settings.set(one, "*", "paper", "a4");
        await settings.set(one, "store-1", "paper", "58");
        await settings.set(one, "store-1", "vatPayer", "no");
        expect(await settings.of(one.appId, one.accountId, "store-1")).toMatchObject({
          timeZone: "Asia/Chita",
          paper: "58",
          vatPayer: false,
        });
        expect(await settings.of(one.appId, one.accountId, "store-2")).toMatchObject({
          timeZone: "Asia/Chita",
          paper: "a4",
          vatPayer: true,
        });
      });

      it("are taken away by an empty value, also when there was none", async () => {
        const settings = settingsWith();
        const one = key();
        await settings.set(one, "store-1", "paper", "58");
        expect(await settings.set(one, "store-1", "paper", "")).toEqual({ kind: "removed" });
        expect(await settings.set(one, "store-1", "paper", "  ")).toEqual({ kind: "removed" });
        expect(await settings.list(one)).toEqual([]);
      });

      it("name the points of sale that were seen, by operations or by what was set, of that account alone", async () => {
        const settings = settingsWith();
        const one = key();
        const journal = new Journal({ store, clock: new VirtualClock(NOW_MS) });
        expect(await settings.knownStores(one)).toEqual([]);
        await settings.set(one, "store-2", "paper", "58");
        await settings.set(one, "*", "paper", "58");
        for (const documentId of ["a", "b"]) {
          const content = entryContent({ key: { ...one, operation: "sale", documentId } });
          await journal.accept({ ...content, operation: { ...content.operation, storeId: "store-1" } });
        }
        expect(await settings.knownStores(one)).toEqual(["store-1", "store-2"]);
        expect(await settings.knownStores({ ...one, appId: "x" })).toEqual([]);
      });

      it("belong to one entry on one account", async () => {
        const settings = settingsWith();
        const one = key();
        await settings.set(one, "store-1", "paper", "58");
        for (const other of [
          { ...one, appId: "x" },
          { ...one, accountId: "x" },
        ]) {
          expect((await settings.of(other.appId, other.accountId, "store-1")).paper).toBe("80");
        }
      });

      it("refuse an unknown name, a wrong value and a wrong point of sale, and name what is known", async () => {
        const settings = settingsWith();
        const one = key();
        const refusal = async (storeId: string, name: string, text: string) => await settings.set(one, storeId, name, text);
        expect(await refusal("s", "colour", "red")).toEqual({
          kind: "refused",
          problem: expect.stringMatching(/colour.*register.*taxSystem.*paper/),
        });
        expect(await refusal("s", "paper", "57")).toEqual({ kind: "refused", problem: "paper takes 58, 80 or a4" });
        expect(await refusal("s", "register", "usb:1")).toEqual({ kind: "refused", problem: "register: known is emulator:NAME" });
        expect(await refusal("a b", "paper", "58")).toEqual({ kind: "refused", problem: expect.stringContaining("no point of sale") });
        expect(await refusal("s", "signatureScheme", "pair")).toEqual({
          kind: "refused",
          problem: expect.stringContaining("whole account"),
        });
        expect(await settings.list(one)).toEqual([]);
      });

      it("seal an address of a register and show it without its passwords", async () => {
        const settings = settingsWith();
        const one = key();
        await settings.set(one, "store-1", "register", "emulator:one?operatorPassword=7321&systemPassword=9876&print=none");
        const row = await store.db.selectFrom("settings").selectAll().where("app_id", "=", one.appId).executeTakeFirstOrThrow();
        expect(row).toMatchObject({ sealed: 1 });
        expect(JSON.stringify(row)).not.toMatch(/7321|9876|emulator/);
        expect(await settings.list(one)).toEqual([
          { storeId: "store-1", name: "register", shown: "emulator:one?operatorPassword=***&systemPassword=***&print=none" },
        ]);
        expect((await settings.of(one.appId, one.accountId, "store-1")).register).toContain("7321");
      });

      it("say so when the address was sealed under another SECRET_KEY, and can be set anew", async () => {
        const one = key();
        await settingsWith().set(one, "store-1", "register", "emulator:one");
        const after = settingsWith({ seal: OTHER_SEAL });
        await expect(after.of(one.appId, one.accountId, "store-1")).rejects.toMatchObject({ code: "seal-key" });
        expect(await after.list(one)).toEqual([{ storeId: "store-1", name: "register", shown: expect.stringContaining("SECRET_KEY") }]);
        await after.set(one, "store-1", "register", "emulator:two");
        expect((await after.of(one.appId, one.accountId, "store-1")).register).toBe("emulator:two");
      });

      it("tell whether any point of sale has a register", async () => {
        const settings = settingsWith();
        const one = key();
        expect(await settings.hasRegister(one)).toBe(false);
        await settings.set(one, "store-1", "paper", "58");
        expect(await settings.hasRegister(one)).toBe(false);
        await settings.set(one, "store-1", "register", "emulator:one");
        expect(await settings.hasRegister(one)).toBe(true);
      });

      it("do not fall over a row that a later version wrote, but over a value that nobody can read", async () => {
        const settings = settingsWith();
        const one = key();
        const row = { app_id: one.appId, account_id: one.accountId, store_id: "store-1", sealed: 0, updated_at_ms: NOW_MS } as const;
        await store.db
          .insertInto("settings")
          .values({ ...row, name: "ofTomorrow", value: "1" })
          .execute();
        expect((await settings.of(one.appId, one.accountId, "store-1")).paper).toBe("80");
        await store.db
          .insertInto("settings")
          .values({ ...row, name: "paper", value: "57" })
          .execute();
        await expect(settings.of(one.appId, one.accountId, "store-1")).rejects.toMatchObject({ code: "setting-unreadable" });
      });
    });

    describe("the end of the set-up", () => {
      const told = (status: number, words = "") => ({ status, words, errors: [] });
      const setUp = (changes: Partial<SetUpServices> = {}): SetUpServices => ({
        installations: new Installations(services()),
        isComplete: async () => true,
        tell: async () => ({ kind: "reported" }),
        ...changes,
      });
      const waiting = async () => {
        const one = key();
        await new Installations(services()).activate(one, {}, "settings_required");
        return one;
      };
      const stateOf = async (one: ReturnType<typeof key>) => (await new Installations(services()).get(one))?.state;

      it("makes the installation active after the platform was told", async () => {
        const one = await waiting();
        let stateWhenTold: string | undefined;
        const tell = async () => {
          stateWhenTold = await stateOf(one);
          return { kind: "reported" } as const;
        };
        expect(await finishSetUp(setUp({ tell }), one)).toEqual({ kind: "activated" });
        expect([stateWhenTold, await stateOf(one)]).toEqual(["settings_required", "active"]);
      });

      it("tells nobody while something is missing, or when the installation does not wait", async () => {
        const tell = () => Promise.reject(new Error("must not be told"));
        const one = await waiting();
        expect(await finishSetUp(setUp({ tell, isComplete: async () => false }), one)).toEqual({ kind: "incomplete" });
        expect(await finishSetUp(setUp({ tell }), key())).toEqual({ kind: "not-waiting" });
        await new Installations(services()).activate(one, {}, "active");
        expect(await finishSetUp(setUp({ tell }), one)).toEqual({ kind: "not-waiting" });
      });

      it("leaves it waiting, with the reason, when the platform could not be told", async () => {
        const one = await waiting();
        const results = [
          [{ kind: "unreachable", reason: "ECONNREFUSED" }, /cannot be reached.*ECONNREFUSED/],
          [{ kind: "unavailable", reply: told(503) }, /cannot be reached.*503/],
          [{ kind: "not-installed", reply: told(404) }, /does not know/],
          [{ kind: "no-such-step", reply: told(409, "Busy") }, /409: Busy/],
          [{ kind: "unauthorized", reply: told(401) }, /401.*secretKey.*clock/],
          [{ kind: "refused", reply: told(404) }, /refused \(404\): is PLATFORM_APPS_URL/],
        ] as const;
        for (const [result, words] of results) {
          expect(await finishSetUp(setUp({ tell: async () => result }), one)).toEqual({
            kind: "not-told",
            problem: expect.stringMatching(words),
          });
          expect(await stateOf(one)).toBe("settings_required");
        }
      });

      it("does not call the installation activated when a Suspend came after the platform was told", async () => {
        const one = await waiting();
        const tell = async () => {
          await new Installations(services()).deactivate(one, "suspended");
          return { kind: "reported" } as const;
        };
        expect(await finishSetUp(setUp({ tell }), one)).toEqual({ kind: "not-waiting" });
        expect(await stateOf(one)).toBe("suspended");
      });

      it("is content when an activation came between and answered the platform itself", async () => {
        const one = await waiting();
        const tell = async () => {
          await new Installations(services()).activate(one, {}, "active");
          return { kind: "no-such-step", reply: told(409) } as const;
        };
        expect(await finishSetUp(setUp({ tell }), one)).toEqual({ kind: "not-waiting" });
      });
    });
  });
}
