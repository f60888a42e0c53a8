import type { InstallationKey } from "../../accounts/installation.ts";
import { Failure } from "../../kernel/failure.ts";
import type { OrderRow } from "../../store/loyalty-tables.ts";
import { deleteQuotesAfter } from "../kept-quotes/quote-queries.ts";
import { AccountBook } from "../ledger/account-book.ts";
import { bringUpToDate, clawBack, consumptionOf, giveBack, type LedgerContext } from "../ledger/bookings.ts";
import type { Tx } from "../ledger/ledger-queries.ts";
import { memberById } from "../members/member-queries.ts";
import { lockedMember } from "../members/standing.ts";
import { atSoldSums, type ReturnedLine } from "../points/matching.ts";
import { sharesOf } from "../points/shares.ts";
import type { Programme, ProgrammeInForce } from "../programme/programme.ts";
import type { EarlierReturns } from "./earlier-returns.ts";
import { lineOfRow, paidOf, rowOfLine } from "./order-lines.ts";
import { insertLines, linesOf, lockOrder, takenBackOf, updateOrder } from "./order-queries.ts";
import { entriesOfSale } from "./sale-entries.ts";
import { reviewTier } from "./tier.ts";

interface ReturnBooking {
  tx: Tx;
  key: InstallationKey;
  /** The version of the programme that booked the sale. This version decides what a return gives back and takes back. */
  programme: Programme;
  /** The programme in force. It sets the ends of lots and the tiers. */
  current: ProgrammeInForce;
  nowMs: number;
  zone: string;
  returnId: number;
  saleId: number;
  lines: readonly ReturnedLine[];
  returns: EarlierReturns;
}

export type ReturnOutcome =
  /** The numbers of points, for the metrics. */
  | { kind: "booked"; givenBack: number; clawedBack: number }
  /** The sale was not booked for a member, so the return moved no points. */
  | { kind: "nothing" };

/**
 * Books a return: gives spent points back and takes earned points back, by the returned share of the sale (loyalty-model 7). Runs in the
 * transaction that stores the return's row. When more comes back than was sold, throws `loyalty-returned-more` before it writes anything.
 * Throws `loyalty-returns-unread` when too many earlier returns of the sale were not read before the transaction.
 */
export async function bookReturn(booking: ReturnBooking): Promise<ReturnOutcome> {
  const { tx, key, returnId } = booking;
  const sale = await lockOrder(tx, booking.saleId);
  const sold = (await linesOf(tx, sale.id)).map(lineOfRow);
  const returnedBefore = await booking.returns.of(tx, sale.id);
  const lines = atSoldSums(booking.lines, { sold, returnedBefore });
  const shares = sharesOf({ ...movedBy(sale), lines: sold, returnedBefore }, lines, booking.programme.returns);
  if (shares.kind === "more-than-sold")
    throw new Failure("loyalty-returned-more", "caller", `More is returned of sale ${sale.document_key} than was sold`);
  await insertLines(
    tx,
    shares.lines.map((line, index) => rowOfLine(returnId, index + 1, { ...line, pointsKopecks: 0, earningKopecks: 0 })),
  );
  const buyer = sale.member_id === null ? undefined : await memberById(tx, key, sale.member_id);
  const member = buyer === undefined ? undefined : ((await lockedMember(tx, key, buyer)) ?? buyer);
  const { giveBackPoints, clawBackPoints } = shares;
  await updateOrder(tx, returnId, {
    state: "booked",
    sale_id: sale.id,
    member_id: member?.id ?? null,
    paid_kopecks: paidOf(shares.lines),
    spent: giveBackPoints,
    earned: clawBackPoints,
    content: null,
  });
  if (member === undefined || sale.state !== "booked") return { kind: "nothing" };
  await updateOrder(tx, sale.id, {
    given_back: sale.given_back + giveBackPoints,
    clawed_back: sale.clawed_back + clawBackPoints,
  });
  await movePoints(booking, sale, member.id, { giveBackPoints, clawBackPoints });
  return { kind: "booked", givenBack: giveBackPoints, clawedBack: clawBackPoints };
}

/** Gives spent points back first. Earned points can then be taken from the points given back (loyalty-model 7.6). */
async function movePoints(
  { tx, key, programme, current, nowMs, zone, returnId }: ReturnBooking,
  sale: OrderRow,
  memberId: string,
  { giveBackPoints, clawBackPoints }: { giveBackPoints: number; clawBackPoints: number },
): Promise<void> {
  const book = await AccountBook.open(tx, memberId, nowMs);
  const booking: LedgerContext = { book, programme, current, nowMs, zone, actor: "till", orderId: returnId };
  bringUpToDate(booking);
  const moved = await entriesOfSale(tx, key, book, sale);
  giveBack(booking, giveBackPoints, consumptionOf(moved.consumed, moved.debtPoints, sale.given_back), moved.spentNumber);
  clawBack(booking, clawBackPoints, {
    ownLotNumbers: moved.ownLotNumbers,
    ownExpiredPoints: moved.ownExpiredPoints,
    forgivenBeforePoints: Math.max(0, sale.clawed_back - (await takenBackOf(tx, sale.id))),
    reverses: moved.earnedNumber,
  });
  book.change({ visited_at_ms: nowMs });
  await deleteQuotesAfter(tx, memberId, nowMs);
  await reviewTier(tx, book, { programme: current.programme, nowMs, zone });
  await book.close();
}

function movedBy({ spent, earned, given_back, clawed_back }: OrderRow) {
  return { spentPoints: spent, earnedPoints: earned, givenBackPoints: given_back, clawedBackPoints: clawed_back };
}
