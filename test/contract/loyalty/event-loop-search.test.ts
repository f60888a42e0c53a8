import { afterAll, beforeAll, expect, it } from "vitest";
import { fillTable } from "../../support/hostile/fill-table.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";

const BOUND_MS = 50;
const TIME_LIMIT_MS = 120_000;
/** Members of one account whose names begin alike. One word of the searched name is nobody's but Anna's. */
const ALIKE = 60_000;
const WORDS = "ива кат мар лен";
const NAME = `${WORDS} ода`;

let bench: LoyaltyBench;
let anna: string;
beforeAll(async () => {
  bench = await LoyaltyBench.open();
  const enrol = async (platformId: string, name: string) =>
    (await bench.members.enrol(LOYALTY_KEY, { identity: { platformId }, personal: { name }, isNative: true })).memberId;
  const alike = await enrol("alike", WORDS);
  const terms = await bench.store.db.selectFrom("loyalty_terms").select("term").where("member_id", "=", alike).execute();
  await bench.store.db.deleteFrom("loyalty_terms").execute();
  for (const { term } of terms) {
    await fillTable(bench.store, "loyalty_terms", ALIKE, {
      app_id: `'${LOYALTY_KEY.appId}'`,
      account_id: `'${LOYALTY_KEY.accountId}'`,
      term: `'${term}'`,
      member_id: "printf('00000000-0000-4000-8000-%012d', n.value)",
    });
  }
  anna = await enrol("anna", NAME);
}, TIME_LIMIT_MS);
afterAll(() => bench.store.close());

it(
  `the longest stop of the event loop stays below ${BOUND_MS} ms while a member is searched among ${ALIKE} with nearly the same name`,
  async () => {
    for (const [typed, ids] of [
      [NAME, [anna]],
      [`${WORDS} нет`, []],
    ] as const) {
      const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, () => bench.members.search(LOYALTY_KEY, typed));
      expect(cpuMs).toBeLessThan(allowedMs);
      expect(result.map(({ id }) => id)).toEqual(ids);
    }
  },
  TIME_LIMIT_MS,
);
