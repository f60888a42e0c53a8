import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Activation } from "../../src/accounts/installation.ts";
import { Installations } from "../../src/accounts/installations.ts";
import { SeenTokens, type TokenCall } from "../../src/accounts/seen-tokens.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SEAL = createSeal(new Secret("key of the tests"));
const OTHER_SEAL = createSeal(new Secret("another key"));
const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
const key = () => ({ appId: randomUUID(), accountId: randomUUID() });
const fiscalKey = (registrationId: string, spki: string): Activation => ({
  fiscalKey: { registrationId, key: { kind: "key", spki: Buffer.from(spki) } },
});
const badKey = (registrationId: string, problem: string): Activation => ({
  fiscalKey: { registrationId, key: { kind: "unusable", problem } },
});

for (const kind of TRIED_DATABASES) {
  describeDatabase("what is known of accounts", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    const services = (clock = new VirtualClock(NOW_MS)) => ({ store, seal: SEAL, clock });

    describe("installations", () => {
      it.each([
        ["subscription", "{"],
        ["subscription", '{"trial":"yes"}'],
        ["permissions", "{}"],
        ["permissions", '[{"resource":"https://online.example/api","scope":"all"}]'],
      ])("are not read where somebody has spoilt %s: %s", async (column, text) => {
        const installations = new Installations(services());
        const one = key();
        const access = [{ resource: "https://online.example/api", scope: ["admin"] }];
        await installations.activate(one, { subscription: { trial: true }, access }, "active");
        expect(await installations.get(one)).toMatchObject({ subscription: { trial: true }, access });
        await store.commit((tx) =>
          tx
            .updateTable("installations")
            .set({ [column]: text })
            .where("account_id", "=", one.accountId)
            .execute(),
        );
        await expect(installations.get(one)).rejects.toMatchObject({
          code: "installation-unreadable",
          message: expect.stringContaining(`Column ${column} of row ${one.appId}/${one.accountId}`),
        });
        const beside = { appId: randomUUID(), accountId: one.accountId };
        await installations.activate(beside, {}, "active");
        expect(await installations.list({ accountId: one.accountId })).toEqual({
          found: [expect.objectContaining(beside)],
          unreadable: [{ ...one, problem: expect.stringContaining(`Column ${column} of row ${one.appId}/${one.accountId}`) }],
        });
        expect(await installations.keys(["active"], { accountId: one.accountId })).toHaveLength(2);
        await store.commit((tx) => tx.deleteFrom("installations").where("account_id", "=", one.accountId).execute());
      });

      it("are found by their key, listed by account and by state", async () => {
        const installations = new Installations(services());
        const one = key();
        const other = { appId: randomUUID(), accountId: one.accountId };
        await installations.activate(one, { accountName: "north" }, "active");
        await installations.activate(other, {}, "settings_required");
        expect(await installations.get(one)).toEqual({
          ...one,
          state: "active",
          accountName: "north",
          hasAccessToken: false,
          installedAtMs: NOW_MS,
          updatedAtMs: NOW_MS,
        });
        expect(await installations.get(key())).toBeUndefined();
        expect((await installations.list({ accountId: one.accountId })).found).toHaveLength(2);
        expect(await installations.keys(["active"])).toContainEqual(one);
        expect(await installations.keys(["active"])).not.toContainEqual(other);
      });

      it("keep what a later activation does not bring", async () => {
        const clock = new VirtualClock(NOW_MS);
        const installations = new Installations(services(clock));
        const one = key();
        const access = [{ resource: "r", scope: ["admin"] }];
        await installations.activate(
          one,
          { accountName: "north", accessToken: new Secret("t"), access, subscription: { tariffId: "1" } },
          "active",
        );
        await clock.advance(5_000);
        await installations.activate(one, {}, "settings_required");
        expect(await installations.get(one)).toMatchObject({
          state: "settings_required",
          accountName: "north",
          hasAccessToken: true,
          access,
          subscription: { tariffId: "1" },
          installedAtMs: NOW_MS,
          updatedAtMs: NOW_MS + 5_000,
        });
      });

      it("move from waiting to active once, and from no other state", async () => {
        const installations = new Installations(services());
        const one = key();
        expect(await installations.completeSetUp(one)).toBe(false);
        await installations.activate(one, {}, "settings_required");
        expect(await installations.completeSetUp(one)).toBe(true);
        expect(await installations.completeSetUp(one)).toBe(false);
        await installations.deactivate(one, "suspended");
        expect(await installations.completeSetUp(one)).toBe(false);
        expect((await installations.get(one))?.state).toBe("suspended");
      });

      it("refuse to give out a token that was sealed under another SECRET_KEY, and name it", async () => {
        const one = key();
        await new Installations(services()).activate(one, { accessToken: new Secret("t") }, "active");
        const after = new Installations({ ...services(), seal: OTHER_SEAL });
        await expect(after.accessToken(one)).rejects.toMatchObject({ code: "seal-key", message: expect.stringContaining("SECRET_KEY") });
        expect(await after.get(one)).toMatchObject({ hasAccessToken: true });
      });

      it("do not open a token that was copied into another row", async () => {
        const installations = new Installations(services());
        const [one, other] = [key(), key()];
        await installations.activate(one, { accessToken: new Secret("t") }, "active");
        await installations.activate(other, {}, "active");
        const row = await store.db
          .selectFrom("installations")
          .select("access_token_sealed")
          .where("app_id", "=", one.appId)
          .executeTakeFirstOrThrow();
        await store.db.updateTable("installations").set(row).where("app_id", "=", other.appId).execute();
        await expect(installations.accessToken(other)).rejects.toMatchObject({ code: "seal-broken" });
      });
    });

    describe("public keys", () => {
      it("stay one row however often the same pair comes", async () => {
        const installations = new Installations(services());
        const [one, id] = [key(), randomUUID()];
        for (const _time of [1, 2, 3]) await installations.activate(one, fiscalKey(id, "A"), "active");
        for (const _time of [1, 2]) await installations.activate(one, badKey(id, "no key"), "active");
        expect(await store.db.selectFrom("fiscal_keys").select("id").where("registration_id", "=", id).execute()).toHaveLength(2);
      });

      it("superseded by one that cannot be read are good for ten minutes, with the problem beside", async () => {
        const clock = new VirtualClock(NOW_MS);
        const installations = new Installations(services(clock));
        const [one, id] = [key(), randomUUID()];
        await installations.activate(one, fiscalKey(id, "A"), "active");
        await installations.activate(one, badKey(id, "no key"), "active");
        expect(await installations.byRegistration(id)).toMatchObject({
          keys: [{ spki: Buffer.from("A"), retiresAtMs: NOW_MS + 600_000 }],
          keyProblem: "no key",
        });
        await clock.advance(600_000);
        expect(await installations.byRegistration(id)).toMatchObject({ keys: [], keyProblem: "no key" });
        await installations.activate(one, fiscalKey(id, "B"), "active");
        expect(await installations.byRegistration(id)).toEqual({ ...one, state: "active", keys: [{ spki: Buffer.from("B") }] });
      });

      it("come into force again when an older pair returns", async () => {
        const installations = new Installations(services());
        const [one, id] = [key(), randomUUID()];
        for (const spki of ["A", "B", "A"]) await installations.activate(one, fiscalKey(id, spki), "active");
        expect((await installations.byRegistration(id))?.keys[0]).toEqual({ spki: Buffer.from("A") });
      });

      it("are found by an earlier registration id too: it stays an alias", async () => {
        const clock = new VirtualClock(NOW_MS);
        const installations = new Installations(services(clock));
        const [one, before, after] = [key(), randomUUID(), randomUUID()];
        await installations.activate(one, fiscalKey(before, "A"), "active");
        await installations.change(one, fiscalKey(after, "B"));
        await clock.advance(86_400_000);
        for (const id of [before, after]) {
          expect(await installations.byRegistration(id)).toEqual({ ...one, state: "active", keys: [{ spki: Buffer.from("B") }] });
        }
      });

      it("of two entries with one and the same pair serve the active one", async () => {
        const installations = new Installations(services());
        const [first, second, id] = [key(), key(), randomUUID()];
        await installations.activate(first, fiscalKey(id, "A"), "active");
        await installations.activate(second, fiscalKey(id, "A"), "active");
        expect(await installations.byRegistration(id)).toMatchObject(first);
        await installations.deactivate(first, "uninstalled");
        expect(await installations.byRegistration(id)).toMatchObject({ ...second, state: "active" });
      });

      it("are kept over Suspend and Uninstall", async () => {
        const installations = new Installations(services());
        const [one, id] = [key(), randomUUID()];
        await installations.activate(one, fiscalKey(id, "A"), "active");
        for (const state of ["suspended", "uninstalled"] as const) {
          await installations.deactivate(one, state);
          expect(await installations.byRegistration(id)).toEqual({ ...one, state, keys: [{ spki: Buffer.from("A") }] });
        }
      });

      it("of an id that nobody has are not there", async () => {
        expect(await new Installations(services()).byRegistration(randomUUID())).toBeUndefined();
      });
    });

    describe("one-time tokens", () => {
      const callOf = (changes: Partial<TokenCall> = {}): TokenCall => ({
        appId: "app",
        tokenId: randomUUID(),
        expiresAtMs: NOW_MS + 300_000,
        requestId: "r",
        method: "PUT",
        path: "/p",
        bodyHash: "h",
        ...changes,
      });

      it("remember their answer over a restart", async () => {
        const call = callOf();
        await new SeenTokens(services()).once(call, async () => ({ status: 200, body: "{}" }));
        const again = await new SeenTokens(services()).once(call, async () => ({ status: 500 }));
        expect(again).toEqual({ kind: "answer", answer: { status: 200, body: "{}" }, replayed: true });
        expect(await new SeenTokens(services()).once({ ...call, bodyHash: "other" }, async () => ({ status: 200 }))).toEqual({
          kind: "used",
        });
      });

      it("let a retry work again when the first was lost before its answer", async () => {
        const call = callOf();
        const seen = new SeenTokens(services());
        await expect(seen.once(call, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
        expect(await seen.once({ ...call, path: "/other" }, async () => ({ status: 200 }))).toEqual({ kind: "used" });
        expect(await seen.once(call, async () => ({ status: 204 }))).toEqual({ kind: "answer", answer: { status: 204 }, replayed: false });
      });

      it("do not remember an answer of 500 and above", async () => {
        const call = callOf();
        const seen = new SeenTokens(services());
        expect(await seen.once(call, async () => ({ status: 503 }))).toMatchObject({ answer: { status: 503 } });
        expect(await seen.once(call, async () => ({ status: 200 }))).toMatchObject({ answer: { status: 200 }, replayed: false });
      });

      describe("when the clock goes forth and back", () => {
        const MINUTES = 60_000;
        const works = async () => ({ status: 200, body: "{}" });
        /** Uses a token. An hour later other calls make the server forget this token. Then the clock is set back. */
        const forthAndBack = async (changes: Partial<TokenCall> = {}) => {
          const clock = new VirtualClock(NOW_MS);
          const seen = () => new SeenTokens({ ...services(clock), keptRecords: 1 });
          const used = callOf({ appId: randomUUID(), ...changes });
          const later = (minutes: number) =>
            callOf({ appId: used.appId, expiresAtMs: NOW_MS + minutes * MINUTES, requestId: randomUUID() });
          expect(await seen().once(used, works)).toMatchObject({ kind: "answer" });
          clock.jumpTo(NOW_MS + 60 * MINUTES);
          await seen().once(later(65), works);
          await seen().once(later(65), works);
          clock.jumpTo(NOW_MS);
          return { clock, seen, used, later };
        };

        it("stay used", async () => {
          const { seen, used } = await forthAndBack();
          expect(await seen().once({ ...used, bodyHash: "other" }, works)).toEqual({ kind: "expired" });
          expect(await seen().once(used, works)).toEqual({ kind: "expired" });
        });

        it("stay used also when the clock goes again and again", async () => {
          const { clock, seen, used, later } = await forthAndBack();
          for (const minutes of [120, 30, 600]) {
            clock.jumpTo(NOW_MS + minutes * MINUTES);
            await seen().once(later(minutes + 5), works);
          }
          clock.jumpTo(NOW_MS - 60 * MINUTES);
          expect(await seen().once(used, works)).toEqual({ kind: "expired" });
        });

        it("stay used when they came without a request id, and when their first call was lost", async () => {
          const { requestId: _none, ...nameless } = callOf({ appId: randomUUID() });
          const one = await forthAndBack(nameless);
          expect(await one.seen().once({ ...nameless, tokenId: one.used.tokenId }, works)).toEqual({ kind: "expired" });
        });

        it("are taken when they are made afterwards, and answered again then", async () => {
          const { seen, later } = await forthAndBack();
          const fresh = later(6);
          expect(await seen().once(fresh, works)).toEqual({ kind: "answer", answer: { status: 200, body: "{}" }, replayed: false });
          expect(await seen().once(fresh, works)).toMatchObject({ replayed: true });
        });

        it("of one entry are forgotten, and those of another are not", async () => {
          const { seen } = await forthAndBack();
          const other = callOf({ appId: randomUUID() });
          expect(await seen().once(other, works)).toMatchObject({ kind: "answer" });
        });

        it("do not shut everybody out for as long as the clock was ahead", async () => {
          const { clock, seen, later } = await forthAndBack();
          clock.jumpTo(NOW_MS + 30 * 24 * 60 * MINUTES);
          await seen().once(later(30 * 24 * 60 + 5), works);
          clock.jumpTo(NOW_MS + 66 * MINUTES);
          expect(await seen().once(later(71), works)).toMatchObject({ kind: "answer" });
        });

        const YEARS = 365 * 24 * 60 * MINUTES;

        it.each([
          ["an hour", 60 * MINUTES],
          ["ten years", 10 * YEARS],
          ["a thousand years", 1_000 * YEARS],
        ])("by %s, several times, stay used, and new ones are taken", async (_far, farMs) => {
          const clock = new VirtualClock(NOW_MS);
          const seen = () => new SeenTokens(services(clock));
          const appId = randomUUID();
          const used: TokenCall[] = [];
          const use = async () => {
            for (const seconds of [0, 1, 200, 400, 900]) {
              clock.jumpTo(clock.nowMs() + seconds * 1_000);
              const call = callOf({ appId, expiresAtMs: clock.nowMs() + 300_000 });
              expect(await seen().once(call, works)).toEqual({ kind: "answer", answer: { status: 200, body: "{}" }, replayed: false });
              used.push(call);
            }
          };
          for (let round = 0; round < 4; round += 1) {
            clock.jumpTo(NOW_MS + round * 60 * MINUTES);
            await use();
            clock.jumpTo(NOW_MS + farMs + round * MINUTES);
            await use();
          }
          for (const backMs of [0, farMs]) {
            clock.jumpTo(NOW_MS + backMs);
            for (const call of used) expect(await seen().once({ ...call, bodyHash: "other" }, works)).toEqual({ kind: "used" });
          }
        });

        it("are forgotten beyond the bound, the soonest expired first, and those that have not expired never", async () => {
          const clock = new VirtualClock(NOW_MS);
          const seen = new SeenTokens({ ...services(clock), keptRecords: 3 });
          const appId = randomUUID();
          const kept = async () => {
            const rows = await store.db.selectFrom("seen_tokens").select("expires_at_ms").where("app_id", "=", appId).execute();
            return rows.map((row) => (row.expires_at_ms - NOW_MS) / MINUTES).sort((one, other) => one - other);
          };
          const use = (minutes: number) => seen.once(callOf({ appId, expiresAtMs: NOW_MS + minutes * MINUTES }), works);
          for (const minutes of [1, 2, 3, 4, 5]) await use(minutes);
          expect(await kept()).toEqual([1, 2, 3, 4, 5]);
          clock.jumpTo(NOW_MS + 4.5 * MINUTES);
          await use(6);
          expect(await kept()).toEqual([3, 4, 5, 6]);
          clock.jumpTo(NOW_MS + 60 * MINUTES);
          await use(65);
          expect(await kept()).toEqual([4, 5, 6, 65]);
        });

        it.runIf(kind.shared)("stay used over a restart", async () => {
          const { clock, used } = await forthAndBack();
          const reopened = await database.open();
          const seen = new SeenTokens({ store: reopened, clock, keptRecords: 1 });
          expect(await seen.once(used, works)).toEqual({ kind: "expired" });
        });

        it.runIf(kind.shared)("are used once when two servers' connections take them at the same time", async () => {
          const clock = new VirtualClock(NOW_MS);
          const [one, two] = [new SeenTokens(services(clock)), new SeenTokens({ store: await database.open(), clock })];
          const calls = Array.from({ length: 10 }, () => callOf({ appId: randomUUID() }));
          const outcomes = await Promise.all(
            calls.flatMap((call) => [one.once(call, works), two.once({ ...call, bodyHash: "other" }, works)]),
          );
          for (let index = 0; index < outcomes.length; index += 2) {
            expect(
              outcomes
                .slice(index, index + 2)
                .map(({ kind: each }) => each)
                .sort(),
            ).toEqual(["answer", "used"]);
          }
        });
      });

      it("pass the exception of a running call to everybody who waits for it", async () => {
        const call = callOf();
        const seen = new SeenTokens(services());
        const both = [seen.once(call, () => Promise.reject(new Error("lost"))), seen.once(call, async () => ({ status: 200 }))];
        expect((await Promise.allSettled(both)).map((result) => result.status)).toEqual(["rejected", "rejected"]);
      });
    });
  });
}
