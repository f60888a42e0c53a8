import { sql } from "kysely";
import { expect, it } from "vitest";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";

const BOUND_MS = 50;
const TIME_LIMIT_MS = 120_000;
const DAY_MS = 86_400_000;
const MEMBERS = 5_000;

/** A programme with rolling expiry, and members whose stored ends are over although a visit has prolonged their points. */
async function withProlongedPoints(): Promise<LoyaltyBench> {
  const bench = await LoyaltyBench.open();
  await bench.programme({ expiry: { kind: "rolling", days: 365 } });
  await bench.clock.advance(1_000);
  const nowMs = bench.clock.nowMs();
  const { appId, accountId } = LOYALTY_KEY;
  const numbers = sql`with recursive n(value) as (select 1 union all select value + 1 from n where value < ${MEMBERS})`;
  const id = sql`printf('%08x-0000-4000-8000-000000000000', n.value)`;
  await bench.store.commit(async (tx) => {
    await sql`
      insert into loyalty_members (id, app_id, account_id, status, created_at_ms) ${numbers}
      select ${id}, ${appId}, ${accountId}, 'CONFIRMED', n.value from n`.execute(tx);
    await sql`
      insert into loyalty_accounts (member_id, points, debt_points, entry_number, entry_hash, visited_at_ms, has_bought) ${numbers}
      select ${id}, 100, 0, 1, 'h', ${nowMs}, 1 from n`.execute(tx);
    await sql`
      insert into loyalty_lots (member_id, number, kind, original, remaining, active_from_ms, expires_at_ms) ${numbers}
      select ${id}, 1, 'earned', 100, 100, ${nowMs - 400 * DAY_MS}, ${nowMs - 30 * DAY_MS} + n.value from n`.execute(tx);
  });
  return bench;
}

it(
  `the longest stop of the event loop stays below ${BOUND_MS} ms while the upkeep looks at ${MEMBERS} members of whom nothing is due`,
  async () => {
    const bench = await withProlongedPoints();
    const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, () => bench.upkeep.run());
    expect(result).toMatchObject({ members: 0 });
    expect(cpuMs).toBeLessThan(allowedMs);
    await bench.store.close();
  },
  TIME_LIMIT_MS,
);
