import type { Transaction } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forgetUsed, type OneTimeToken, useUp } from "../../src/accounts/one-time-tokens.ts";
import { SeenTokens, type TokenCall } from "../../src/accounts/seen-tokens.ts";
import { forgetTokensBefore } from "../../src/accounts/token-queries.ts";
import type { Store } from "../../src/store/database.ts";
import type { Tables } from "../../src/store/tables.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const NOW_MS = Date.UTC(2026, 10, 29, 9);
/** The clock of the other server is so far ahead that it forgets tokens which this server still accepts. */
const AHEAD_MS = 200_000;
const EXPIRED = { expiresAtMs: NOW_MS - 50_000 };

// SQLite lets one transaction write at a time, so nothing comes between the statements of another.
for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("a used token, at two servers whose clocks differ", kind, () => {
    let database: TestDatabase;
    let here: Store;
    let ahead: Store;

    beforeAll(async () => {
      database = await kind.make();
      [here, ahead] = [await database.open(), await database.open()];
      await here.migrate();
    });
    afterAll(() => database.drop());

    it("of a QR payment is not taken again when the other server forgets it at this moment", async () => {
      const token: OneTimeToken = { issuer: "issuer", id: "used", ...EXPIRED };
      expect(await here.commit((tx) => useUp(tx, token))).toBe(true);
      const forget = () => ahead.commit((tx) => forgetUsed(tx, "issuer", NOW_MS + AHEAD_MS, { limit: 10, keptRecords: 0 }));
      expect(await here.commit((tx) => useUp(beforeInsert(tx, forget), token))).toBe(false);
      expect(await here.commit((tx) => useUp(tx, token))).toBe(false);
      expect(await here.commit((tx) => useUp(tx, { ...token, id: "new", expiresAtMs: NOW_MS }))).toBe(true);
    });

    it("of the vendor contract is not taken again when it is used and forgotten between two statements", async () => {
      const clock = new VirtualClock(NOW_MS);
      const call: TokenCall = { appId: "app", tokenId: "used", requestId: "r", method: "PUT", path: "/p", bodyHash: "h", ...EXPIRED };
      let uses = 0;
      const work = async () => {
        uses += 1;
        return { status: 200 };
      };
      const usedAndForgotten = async () => {
        await new SeenTokens({ store: ahead, clock }).once(call, work);
        await ahead.commit((tx) => forgetTokensBefore(tx, "app", NOW_MS + AHEAD_MS, 0, 10));
      };
      const interrupted: Pick<Store, "commit"> = { commit: (inner) => here.commit((tx) => inner(beforeInsert(tx, usedAndForgotten))) };
      const seen = new SeenTokens({ store: interrupted as Store, clock });
      expect(await seen.once(call, work)).toEqual({ kind: "expired" });
      expect(await seen.once(call, work)).toEqual({ kind: "expired" });
      expect(uses).toBe(1);
    });
  });

/** Does something else right before the first token is inserted. */
function beforeInsert(tx: Transaction<Tables>, act: () => Promise<unknown>): Transaction<Tables> {
  let acting: Promise<unknown> | undefined;
  return new Proxy(tx, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== "insertInto") return typeof member === "function" ? member.bind(target) : member;
      return (table: "seen_tokens") => {
        const insert = target.insertInto(table);
        return table === "seen_tokens" ? afterwards(insert, () => (acting ??= act())) : insert;
      };
    },
  });
}

/** The builder of a query that runs only after `first`. */
function afterwards<T extends object>(builder: T, first: () => Promise<unknown>): T {
  return new Proxy(builder, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (String(name).startsWith("execute")) return async (...args: unknown[]) => first().then(() => member.apply(target, args));
      return (...args: unknown[]) => afterwards(member.apply(target, args), first);
    },
  });
}
