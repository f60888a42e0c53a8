import { expect, it, onTestFinished } from "vitest";
import type { Call } from "../../../src/tools/sandbox/caller/call.ts";
import { DATABASE_KINDS, describeDatabase } from "../../support/databases.ts";
import { withExactText } from "../../support/hostile/bodies.ts";
import { fieldsOf } from "../../support/hostile/fields.ts";
import { HostileShop } from "../../support/hostile/shop.ts";
import { newPostgresDatabase } from "../../support/new-database.ts";

/** Texts of JSON that PostgreSQL stores in no column: a NUL, and halves of a character. */
const TEXTS = [
  ["a NUL and half a character", "a\u0000b\ud800"],
  ["only a NUL", "\u0000"],
  ["a NUL", "a\u0000b"],
  ["the first half of a character", "a\ud800"],
  ["the second half", "\udc00b"],
] as const;
/** Some hundred requests, each signed and answered. */
const TIME_LIMIT_MS = 600_000;

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("a text that the database cannot store", kind, () => {
    it(
      "is no fault of the server in any field of any contract",
      async () => {
        const shop = await HostileShop.open({ DATABASE_URL: await newPostgresDatabase() });
        onTestFinished(() => shop.close());
        const cases = shop.bodies.flatMap((body) => {
          const { values, lists } = fieldsOf(body.schema);
          const names = lists.map((path) => [...path, "a\u0000b\ud800"]);
          return [...values, ...names, ["unknown\u0000\ud800"]].map((path) => ({ body, path }));
        });
        const faults: string[] = [];
        for (const { body, path } of cases) {
          for (const [what, text] of TEXTS) {
            const { status, text: answer } = await shop.send(body.call(withExactText(body.example(), path, text)));
            if (status >= 500) faults.push(`${body.name} ${JSON.stringify(path.join("."))} ${what}: ${status} ${answer.slice(0, 200)}`);
          }
        }
        expect(faults).toEqual([]);
      },
      TIME_LIMIT_MS,
    );

    it(
      "is no fault of the server in an address",
      async () => {
        const shop = await HostileShop.open({ DATABASE_URL: await newPostgresDatabase() });
        onTestFinished(() => shop.close());
        const till = shop.bodies.find(({ name }) => name === "loyalty create")?.call(Buffer.alloc(0));
        const headers = till?.headers ?? {};
        const queries = ["counterparty?search=a%00b&retailStoreId=a%00b", "giftcard?name=a%00b&retailStoreId=a%00b"];
        const calls: Call[] = [
          ...shop.callsWith("a%00b").map(({ call }) => call),
          ...queries.map((query) => ({ method: "GET" as const, path: `/loyalty/${query}`, headers })),
          ...["/hooks/tbank/a%00b", "/hooks/a%00b/a%00b"].map((path) => ({
            method: "POST" as const,
            path,
            headers: {},
            body: Buffer.from("{}"),
          })),
        ];
        const faults: string[] = [];
        for (const call of calls) {
          const { status, text } = await shop.send(call);
          if (status >= 500) faults.push(`${call.path}: ${status} ${text.slice(0, 200)}`);
        }
        expect(faults).toEqual([]);
      },
      TIME_LIMIT_MS,
    );
  });
}
