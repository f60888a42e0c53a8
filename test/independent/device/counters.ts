import type { OpenReceipt, Payment } from "./receipt.ts";

/** Money registers and operational registers of shtrih-protocol 5.4. */
export class Counters {
  readonly #money = new Map<number, number>();
  readonly #counts = new Map<number, number>();

  money = (number: number): number => this.#money.get(number) ?? 0;
  count = (number: number): number => this.#counts.get(number) ?? 0;

  get drawerKopecks(): number {
    return this.money(241);
  }

  nextDocument(): number {
    return this.#step(152);
  }

  cashIn(kopecks: number): void {
    this.#add(241, kopecks);
    this.#add(242, kopecks);
    this.#step(153);
    this.#step(155);
  }

  cashOut(kopecks: number): void {
    this.#add(241, -kopecks);
    this.#add(243, kopecks);
    this.#step(154);
    this.#step(156);
  }

  receipt({ type }: OpenReceipt, { cashKopecks, slots }: Payment): void {
    const outgoing = type === 1 || type === 2;
    this.#add(241, outgoing ? -cashKopecks : cashKopecks);
    this.#add(193 + type, cashKopecks);
    slots.forEach((kopecks, index) => {
      if (index >= 1 && index <= 3) this.#add(193 + type + 4 * index, kopecks);
      if (index >= 4) this.#add(4144 + type + 4 * (index - 4), kopecks);
    });
    this.#step(144 + type);
    this.#step(148 + type);
  }

  cancelled(): void {
    this.#step(157);
  }

  xReport(): void {
    this.#step(158);
  }

  /** Sums and numbers of the shift begin anew. The sum in the drawer and the numbers that do not belong to a shift go on. */
  closeShift(): void {
    for (const number of this.#money.keys()) if (number !== 241) this.#money.delete(number);
    for (const number of [144, 145, 146, 147, 153, 154, 157]) this.#counts.delete(number);
  }

  #add(number: number, kopecks: number): void {
    this.#money.set(number, this.money(number) + kopecks);
  }

  #step(number: number): number {
    const next = this.count(number) + 1;
    this.#counts.set(number, next);
    return next;
  }
}
