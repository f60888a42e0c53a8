import { DATABASE_KINDS, type DatabaseKind } from "../support/databases.ts";
import { LOYALTY_KEY } from "../support/loyalty-bench.ts";
import { BUYERS, buyerOf, fiftyRules, recalcBody, saleBody } from "./loyalty-bodies.ts";
import { compared } from "./loyalty-compared.ts";
import { manyMembersRows } from "./loyalty-many.ts";
import { LoyaltyServer } from "./loyalty-server.ts";
import type { Part, Row } from "./row.ts";

const CALLS = 200;
const SALES = 60;
const ROWS = ["loyalty.recalc", "loyalty.recalc.100", "loyalty.sale"];

/** Loyalty: what a till waits for, beside the work that a call cannot do without. Rows of PostgreSQL end in `.postgres`. */
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
      const made = ROWS.some(wants) ? await callRows(kind) : [];
      made.push(...(await manyMembersRows(kind, wants, note)));
      rows.push(...made.map((row) => ({ ...row, name: `${row.name}${suffix}` })));
    }
    return rows;
  },
};

async function callRows(kind: DatabaseKind): Promise<Row[]> {
  const server = await LoyaltyServer.open(kind, fiftyRules());
  try {
    for (let n = 0; n < BUYERS; n += 1) {
      const identity = { platformId: buyerOf(n), phone: `+7903000${1_000 + n}`, card: `${100_000 + n}` };
      await server.loyalty.members.enrol(LOYALTY_KEY, { identity, personal: { name: "Иван Петров" }, isNative: true });
    }
    await server.call("POST", "/loyalty/retaildemand", saleBody(10));
    const [ten, hundred] = [recalcBody(10), recalcBody(100)];
    let sales = 0;
    const rows = [
      await compared(
        "loyalty.recalc",
        CALLS,
        () => server.call("POST", "/bare/recalc", ten),
        () => server.call("POST", "/loyalty/retaildemand/recalc", ten),
      ),
      await compared(
        "loyalty.recalc.100",
        CALLS,
        () => server.call("POST", "/bare/recalc", hundred),
        () => server.call("POST", "/loyalty/retaildemand/recalc", hundred),
      ),
    ];
    rows.push(
      await compared(
        "loyalty.sale",
        SALES,
        () => server.call("POST", "/bare/sale", saleBody(10, buyerOf(sales))),
        () => {
          sales += 1;
          return server.call("POST", "/loyalty/retaildemand", saleBody(10, buyerOf(sales)));
        },
      ),
    );
    return rows;
  } finally {
    await server.close();
  }
}
