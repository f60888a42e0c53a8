import type { InstallationKey } from "../../accounts/installation.ts";
import type { OrderRow } from "../../store/loyalty-tables.ts";
import type { AccountBook } from "../ledger/account-book.ts";
import type { TakenPoints } from "../ledger/bookings.ts";
import { lotOf } from "../ledger/entry.ts";
import { allocationsOf, entriesOfOrder, lotsNumbered, type Tx } from "../ledger/ledger-queries.ts";
import { trailOf } from "../members/merged-lots.ts";
import { expiredOf } from "./order-queries.ts";

interface SaleEntries {
  /** The spent points, in the order of consumption. */
  consumed: TakenPoints[];
  /** The spent points that no lot held and that became debt. */
  debtPoints: number;
  /**
   * The lots of this account with the points that the sale earned. There are several when a merge moved the lot away, a return gave points
   * back to it, and the merge was then undone.
   */
  ownLotNumbers: number[];
  /** Points of the sale's lot that expired, in the account of the sale and after merges. */
  ownExpiredPoints: number;
  /** The numbers of the entries that a return reverses. 0: there are none, or they are in the account of a merged member. */
  spentNumber: number;
  earnedNumber: number;
}

/**
 * Reads the entries of a sale for its return, and the lots that may get points back. If the buyer was merged later, the entries are in the
 * merged member's account. `book` is then the account of the member that remains.
 */
export async function entriesOfSale(tx: Tx, key: InstallationKey, book: AccountBook, sale: OrderRow): Promise<SaleEntries> {
  const soldTo = sale.member_id ?? book.memberId;
  const isOwn = soldTo === book.memberId;
  const entries = await entriesOfOrder(tx, soldTo, sale.id);
  const spent = entries.find(({ kind }) => kind === "SPEND");
  const earned = entries.find(({ kind }) => kind === "EARN");
  const taken = spent === undefined ? [] : await allocationsOf(tx, soldTo, spent.number, spent.number);
  const own = earned === undefined ? [] : await trailOf(tx, key, { memberId: soldTo, number: earned.number });
  const ownLotNumbers = own.filter(({ memberId }) => memberId === book.memberId).map(({ number }) => number);
  const lotNumbers = taken.map(({ lot_number: number }) => number);
  await book.withLots([...(isOwn ? lotNumbers : []), ...ownLotNumbers]);
  let ownExpiredPoints = ownLotNumbers.reduce((sum, number) => sum + book.expiredOf(number), 0);
  for (const { memberId, number } of own) ownExpiredPoints += await expiredOf(tx, memberId, number);
  const elsewhere = isOwn ? [] : await lotsNumbered(tx, soldTo, lotNumbers);
  return {
    consumed: taken.map(({ lot_number: lotNumber, points }) => {
      const lot = elsewhere.find(({ number }) => number === lotNumber);
      return { lotNumber, points, ...(lot === undefined ? {} : { elsewhere: lotOf(lot) }) };
    }),
    debtPoints: sale.spent - taken.reduce((sum, { points }) => sum + points, 0),
    ownLotNumbers,
    ownExpiredPoints,
    spentNumber: isOwn ? (spent?.number ?? 0) : 0,
    earnedNumber: isOwn ? (earned?.number ?? 0) : 0,
  };
}
