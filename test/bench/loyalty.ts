import { DATABASE_KINDS, type DatabaseKind } from "../support/databases.ts";
import { LOYALTY_KEY } from "../support/loyalty-bench.ts";
import { BUYERS, buyerOf, fiftyRules, recalcBody, saleBody } from "./loyalty-bodies.ts";
import { compared } from "./loyalty-compared.ts";
import { manyMembersRows } from "./loyalty-many.ts";
import { LoyaltyServer } from "./loyalty-server.ts";
import type { Part, Row } from "./row.ts";

const CALLS = 200;
const SALES = 60;
const ROWS = ["loyalty.recalc", "loyalty.recalc.100", "loyalty.sale"] as const;

/** How long a till waits in calls of loyalty, compared with the least work of these calls. Rows of PostgreSQL end in `.postgres`. */
export const loyaltyBench: Part = {
  prefix: "loyalty.",
  async run(note, only): Promise<Row[]> {
    const wants = (name: string) => name.startsWith(only) || only.startsWith(name);
    const rows: Row[] = [];
    for (const kind of DATABASE_KINDS.filter(({ shared }) => shared)) {
      if (kind.missing !== undefined) {
        note(`${kind.title} is left out: ${kind.missing}`);
        continue;
      }
      const suffix = kind.kind === "postgres" ? ".postgres" : "";
      const told = (made: readonly Row[]) => {
        for (const { name, value, unit, ratio } of made) note(`${name}${suffix}: ${value} ${unit}, ${ratio ?? "no"} times its floor`);
        rows.push(...made.map((row) => ({ ...row, name: `${row.name}${suffix}` })));
      };
      if (ROWS.some(wants)) told(await callRows(kind, wants));
      // With a million members a row takes minutes, so each row is printed as soon as it is measured.
      await manyMembersRows(kind, { wants, note, told });
    }
    return rows;
  },
};

async function callRows(kind: DatabaseKind, wants: (name: string) => boolean): Promise<Row[]> {
  const server = await LoyaltyServer.open(kind, fiftyRules());
  try {
    for (let n = 0; n < BUYERS; n += 1) {
      const identity = { platformId: buyerOf(n), phone: `+7903000${1_000 + n}`, card: `${100_000 + n}` };
      await server.loyalty.members.enrol(LOYALTY_KEY, { identity, personal: { name: "Иван Петров" }, isNative: true });
    }
    await server.call("POST", "/loyalty/retaildemand", saleBody(10));
    const [ten, hundred] = [recalcBody(10), recalcBody(100)];
    let sales = 0;
    const made: Record<(typeof ROWS)[number], (name: string) => Promise<Row>> = {
      "loyalty.recalc": (name) =>
        compared(
          name,
          CALLS,
          () => server.call("POST", "/bare/recalc", ten),
          () => server.call("POST", "/loyalty/retaildemand/recalc", ten),
        ),
      "loyalty.recalc.100": (name) =>
        compared(
          name,
          CALLS,
          () => server.call("POST", "/bare/recalc", hundred),
          () => server.call("POST", "/loyalty/retaildemand/recalc", hundred),
        ),
      "loyalty.sale": (name) =>
        compared(
          name,
          SALES,
          () => server.call("POST", "/bare/sale", saleBody(10, buyerOf(sales))),
          () => {
            sales += 1;
            return server.call("POST", "/loyalty/retaildemand", saleBody(10, buyerOf(sales)));
          },
        ),
    };
    const rows: Row[] = [];
    for (const name of ROWS.filter(wants)) rows.push(await made[name](name));
    return rows;
  } finally {
    await server.close();
  }
}
