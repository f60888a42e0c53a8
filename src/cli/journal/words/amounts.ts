import type { Entry } from "../../../journal/entry.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import type { Tenders } from "../../../model/document.ts";

/** Returns the sum that an entry settles or moves. Empty for a report. */
export function sumOf({ document }: Pick<Entry, "document">): string {
  if (document.kind === "receipt" || document.kind === "correction") return formatKopecks(document.totalKopecks);
  return document.kind === "cash-in" || document.kind === "cash-out" ? formatKopecks(document.sumKopecks) : "";
}

const TENDERS: Record<keyof Tenders, string> = {
  cashKopecks: "cash",
  nonCashKopecks: "card",
  prepaidKopecks: "paid before",
  creditKopecks: "on credit",
  otherKopecks: "otherwise",
};

/** `100.00 cash, 5.00 card`, or `nothing was paid`. */
export function tendersOf(tenders: Tenders): string {
  const paid = (Object.keys(TENDERS) as (keyof Tenders)[]).filter((tender) => tenders[tender] !== 0);
  return paid.map((tender) => `${formatKopecks(tenders[tender])} ${TENDERS[tender]}`).join(", ") || "nothing was paid";
}

/** `2026-11-12` → `12.11.2026`, as a register's menu needs it (tag 1178). */
export function dayText(day: string): string {
  const [year = "", month = "", date = ""] = day.split("-");
  return `${date}.${month}.${year}`;
}
