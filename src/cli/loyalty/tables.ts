import { formatKopecks } from "../../kernel/money.ts";
import { formatQuantity } from "../../kernel/quantity.ts";
import { traceWords } from "../../loyalty/quote/trace-words.ts";
import type { RecalcCall } from "../../loyalty/till-call.ts";
import type { Comparison, ReceiptSums } from "../../operator/loyalty/compare-programmes.ts";
import type { ListedMember } from "../../operator/loyalty/list-members.ts";
import type { MemberStory } from "../../operator/loyalty/member-story.ts";
import type { Tried } from "../../operator/loyalty/try-receipt.ts";
import { instant, tableOf } from "../journal/rows.ts";
import { maskedName, maskedPhone } from "./words.ts";

/** Returns lines with members. Names and phones are masked. */
export function memberLines(members: readonly ListedMember[]): string[] {
  const rows = members.map(({ id, name, phone, status, points, debtPoints }) => [
    id,
    maskedName(name),
    maskedPhone(phone),
    status,
    String(points),
    debtPoints === 0 ? "" : String(debtPoints),
  ]);
  return tableOf([["MEMBER", "NAME", "PHONE", "STATUS", "POINTS", "DEBT"], ...rows]);
}

/** Returns lines with the balance, the lots and the ledger of a member. */
export function storyLines({ row, balance, tier, lots, entries }: MemberStory): string[] {
  const facts = [
    ["Member", row.id],
    ["Status", row.status],
    ["Balance", String(balance.availablePoints)],
    ["Pending", String(balance.pendingPoints)],
    ["Debt", String(balance.debtPoints)],
    ["Tier", tier ?? "none"],
  ];
  const made = lots.map(({ number, kind, original, remaining, activeFromMs, expiresAtMs }) => [
    String(number),
    kind,
    String(original),
    String(remaining),
    instant(activeFromMs),
    expiresAtMs === null ? "never" : instant(expiresAtMs),
  ]);
  const booked = entries.map(({ entry, document }) => [
    String(entry.number),
    instant(entry.at_ms),
    entry.kind,
    String(entry.points),
    entry.debt_points === 0 ? "" : String(entry.debt_points),
    document ?? "",
    entry.actor,
    entry.reason ?? "",
  ]);
  return [
    ...tableOf(facts),
    "",
    ...tableOf([["LOT", "KIND", "POINTS", "LEFT", "ACTIVE FROM (UTC)", "ENDS (UTC)"], ...made]),
    "",
    ...tableOf([["NUMBER", "AT (UTC)", "KIND", "POINTS", "DEBT", "DOCUMENT", "BY", "REASON"], ...booked]),
  ];
}

/** Returns lines with the prices, discounts and points of a tried receipt, and with the result of each rule. */
export function triedLines(call: RecalcCall, { quote, discountKopecks, trace, isMember }: Tried): string[] {
  const positions = quote.lines.map(({ productId, quantityMillionths, priceKopecks, discountedPriceKopecks }) => [
    productId,
    formatQuantity(quantityMillionths),
    formatKopecks(priceKopecks),
    formatKopecks(discountedPriceKopecks),
  ]);
  const rules = trace.map(({ rule, matched, why }) => [rule, matched ? "yes" : "no", traceWords(why, "en")]);
  return [
    ...(isMember ? [] : [call.buyer === undefined ? "The receipt names no buyer." : "The receipt names nobody who is a member."]),
    ...tableOf([["PRODUCT", "QUANTITY", "PRICE", "DISCOUNTED"], ...positions]),
    "",
    ...tableOf([
      ["Discount", formatKopecks(discountKopecks)],
      ["Balance", String(quote.balancePoints)],
      ["Spent", `${quote.spendPoints} points, which pay ${formatKopecks(quote.paidByPointsKopecks)}`],
      ["Earned", String(quote.earnPoints)],
      ["Balance after", String(quote.afterPoints)],
      ["Code needed", quote.needsCode ? "yes" : "no"],
    ]),
    ...(rules.length === 0 ? [] : ["", ...tableOf([["RULE", "MATCHED", "WHY"], ...rules])]),
  ];
}

/** Returns lines with the receipts that differ between two programmes, and both programmes' sums. */
export function comparisonLines({ receipts, different, now, against }: Comparison): string[] {
  const title = ["RECEIPT", "DISCOUNT", "AGAINST", "SPENT", "AGAINST", "EARNED", "AGAINST"];
  const row = (name: string, one: ReceiptSums, other: ReceiptSums) => [
    name,
    formatKopecks(one.discountKopecks),
    formatKopecks(other.discountKopecks),
    String(one.spendPoints),
    String(other.spendPoints),
    String(one.earnPoints),
    String(other.earnPoints),
  ];
  const rows = different.map((each) => row(String(each.receipt + 1), each.now, each.against));
  return [...tableOf([title, ...rows, row("all", now, against)]), "", `${different.length} of ${receipts} receipts differ`];
}
