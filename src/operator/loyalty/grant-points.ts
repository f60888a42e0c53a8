import { writeAudit } from "../../accounts/audit.ts";
import { AccountBook } from "../../loyalty/ledger/account-book.ts";
import { bringUpToDate, type LedgerContext, lotsOf, newLot, repay } from "../../loyalty/ledger/bookings.ts";
import type { MemberRow } from "../../loyalty/members/member-queries.ts";
import { lockedMember } from "../../loyalty/members/standing.ts";
import { balanceAt, planDebit } from "../../loyalty/points/lots.ts";
import { type Acting, actorOf, type LoyaltyDesk } from "./services.ts";

type Granted =
  /** `points`: as requested, negative for a deduction. `balancePoints`: the points that the member can spend now. */
  { kind: "granted"; points: number; balancePoints: number; debtPoints: number } | { kind: "refused"; because: GrantObstacle };

export type GrantObstacle =
  /** A deduction never makes a balance negative. */
  | { code: "above-balance"; balancePoints: number }
  | { code: "erased" }
  /** A new entry was booked after the person saw the account. A repeated click is refused in the same way, so it grants nothing twice. */
  | { code: "booked-meanwhile" };

/**
 * Adds points to an account as a lot with the programme's dates. Negative points are taken from the lots in spend order. Then the active
 * points repay the member's debt.
 */
export async function grantPoints(
  { services, programmes }: Pick<LoyaltyDesk, "services" | "programmes">,
  acting: Acting,
  row: MemberRow,
  { points, reason, seenEntry }: { points: number; reason: string; seenEntry?: number },
): Promise<Granted> {
  const { store, clock, zoneOf, observe } = services;
  const { key, actor } = acting;
  const zone = await zoneOf(key, "");
  await programmes.prepare(key);
  const granted = await store.commit(async (tx): Promise<Granted> => {
    const member = await lockedMember(tx, key, row);
    if (member === undefined) return { kind: "refused", because: { code: "erased" } };
    const nowMs = clock.nowMs();
    const current = await programmes.current(tx, key);
    const book = await AccountBook.open(tx, member.id, nowMs);
    if (seenEntry !== undefined && seenEntry !== book.account.entry_number)
      return { kind: "refused", because: { code: "booked-meanwhile" } };
    const booking: LedgerContext = { book, programme: current.programme, current, nowMs, zone, actor };
    bringUpToDate(booking);
    const balance = () => balanceAt(lotsOf(booking), book.account.debt_points, nowMs);
    const { availablePoints } = balance();
    if (points < 0 && availablePoints < -points)
      return { kind: "refused", because: { code: "above-balance", balancePoints: availablePoints } };
    if (points > 0) book.add({ kind: "GRANT", points, lot: newLot(booking, "granted", points), actor, reason });
    else book.add({ kind: "ADJUST_DOWN", points, allocations: planDebit(lotsOf(booking), -points, nowMs).allocations, actor, reason });
    repay(booking);
    await book.close();
    const after = balance();
    const change = { before: String(availablePoints), after: String(after.availablePoints) };
    await writeAudit(tx, { atMs: nowMs, key, actor: actorOf(acting) }, { act: "grant", subject: member.id, ...change, reason });
    return { kind: "granted", points, balancePoints: after.availablePoints, debtPoints: after.debtPoints };
  });
  if (granted.kind === "granted") observe.points(points > 0 ? "GRANT" : "ADJUST_DOWN", Math.abs(points));
  return granted;
}
