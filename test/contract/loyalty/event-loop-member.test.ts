import { afterAll, beforeAll, expect, it } from "vitest";
import type { MemberRow } from "../../../src/loyalty/members/member-queries.ts";
import { memberStory } from "../../../src/operator/loyalty/member-story.ts";
import { fillTable } from "../../support/hostile/fill-table.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";

const BOUND_MS = 50;
const TIME_LIMIT_MS = 120_000;
/** The purchases of a cashier who shows the own card at each sale. The points of the newest purchases are left. */
const PURCHASES = 20_000;
const LEFT = 5_000;

let bench: LoyaltyBench;
let row: MemberRow;
beforeAll(async () => {
  bench = await LoyaltyBench.open();
  const { memberId } = await bench.members.enrol(LOYALTY_KEY, {
    identity: { platformId: "anna" },
    personal: { name: "Анна" },
    isNative: true,
  });
  row = await bench.store.db.selectFrom("loyalty_members").selectAll().where("id", "=", memberId).executeTakeFirstOrThrow();
  const nowMs = bench.clock.nowMs();
  const order = { account_id: `'${LOYALTY_KEY.accountId}'`, app_id: `'${LOYALTY_KEY.appId}'`, member_id: `'${memberId}'` };
  await fillTable(bench.store, "loyalty_orders", PURCHASES, {
    ...order,
    id: "n.value",
    document_key: "'sale:' || n.value",
    kind: "'sale'",
    state: "'taken'",
  });
  await fillTable(bench.store, "loyalty_entries", PURCHASES, {
    member_id: `'${memberId}'`,
    number: "n.value",
    kind: "'EARN'",
    points: "5",
    order_id: "n.value",
    at_ms: `${nowMs} - ${PURCHASES} + n.value`,
  });
  await fillTable(bench.store, "loyalty_lots", PURCHASES, {
    member_id: `'${memberId}'`,
    number: "n.value",
    kind: "'earned'",
    original: "5",
    remaining: `case when n.value > ${PURCHASES - LEFT} then 5 else 0 end`,
    active_from_ms: `${nowMs} - ${PURCHASES} + n.value`,
  });
  await bench.store.commit((tx) =>
    tx
      .updateTable("loyalty_accounts")
      .set({ points: LEFT * 5, entry_number: PURCHASES, has_bought: 1 })
      .execute(),
  );
}, TIME_LIMIT_MS);
afterAll(() => bench.store.close());

it.each([undefined, 200])(
  `the longest stop of the event loop stays below ${BOUND_MS} ms while a member with ${PURCHASES} purchases is shown, the newest %s of them`,
  async (newest) => {
    const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, () =>
      memberStory(bench, LOYALTY_KEY, row, newest === undefined ? {} : { newest }),
    );
    expect(cpuMs).toBeLessThan(allowedMs);
    const shown = newest ?? PURCHASES;
    expect(result.entries.map(({ entry }) => entry.number)).toEqual(Array.from({ length: shown }, (_, nth) => PURCHASES - shown + nth + 1));
    expect(result.entries.at(-1)?.document).toBe(`sale:${PURCHASES}`);
    expect(result.lots).toHaveLength(newest === undefined ? PURCHASES : LEFT);
    expect(result.balance).toMatchObject({ activePoints: LEFT * 5, availablePoints: LEFT * 5 });
  },
  TIME_LIMIT_MS,
);
