import type { EntryHead } from "../../../journal/reading/head.ts";
import { isTrade, type RegisterDocument } from "../../../model/document.ts";
import type { VatCode } from "../../../model/tax.ts";
import { placeOf } from "../operations-page.ts";
import type { Place } from "../places.ts";

export interface DayTotal {
  /** `2026-11-29`, by the register's clock. */
  day: string;
  register: string;
  /** The point of sale of the first added operation. */
  usedBy: Place;
  sales: number;
  saleKopecks: number;
  returns: number;
  returnKopecks: number;
  /** Sales less returns in kopecks, by the VAT code of a position (tag 1199). */
  byVat: ReadonlyMap<VatCode, number>;
}

/** Whether the totals need the document of this entry. */
export function counts({ key, state, sumKopecks }: EntryHead): boolean {
  const isTradeOperation = key.operation === "sale" || key.operation === "sales-return" || key.operation === "correction";
  return state === "done" && sumKopecks !== undefined && isTradeOperation;
}

/** Adds up registered operations by day and register. Corrections count as sales or returns by their sign. */
export class Totals {
  readonly #days = new Map<string, DayTotal & { byVat: Map<VatCode, number> }>();

  add(head: EntryHead, document: RegisterDocument): void {
    const { facts, register } = head;
    if (!counts(head) || facts === undefined || !isTrade(document)) return;
    const day = facts.time.slice(0, 10);
    const total = this.#of(day, register, placeOf(head));
    // Signs 1 (receipt of income) and 4 (return of an expense) bring money in.
    const comesIn = document.sign === 1 || document.sign === 4;
    if (comesIn) {
      total.sales += 1;
      total.saleKopecks += document.totalKopecks;
    } else {
      total.returns += 1;
      total.returnKopecks += document.totalKopecks;
    }
    for (const { vat, sumKopecks } of document.lines)
      total.byVat.set(vat, (total.byVat.get(vat) ?? 0) + (comesIn ? sumKopecks : -sumKopecks));
  }

  get days(): DayTotal[] {
    return [...this.#days.values()].toSorted((a, b) => b.day.localeCompare(a.day) || a.register.localeCompare(b.register));
  }

  #of(day: string, register: string, usedBy: Place): DayTotal & { byVat: Map<VatCode, number> } {
    const key = `${day} ${register}`;
    const known = this.#days.get(key);
    if (known !== undefined) return known;
    const sums = { sales: 0, saleKopecks: 0, returns: 0, returnKopecks: 0 };
    const made = { day, register, usedBy, ...sums, byVat: new Map<VatCode, number>() };
    this.#days.set(key, made);
    return made;
  }
}
