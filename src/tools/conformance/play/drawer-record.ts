import type { FiscalOperation } from "../../sandbox/caller/fiscal-operation.ts";
import { parsed } from "../exchanges/sent.ts";

/** The cash put into a till minus the cash taken out of it. The money of sales does not count: the run leaves it in the drawer. */
export class DrawerRecord {
  readonly #moved = new Map<string, number>();

  /** Counts a registered cash document once, however often it was sent. */
  note(operation: FiscalOperation, bytes: Buffer): void {
    if (operation !== "retaildrawercashin" && operation !== "retaildrawercashout") return;
    const { meta, sum } = { ...(parsed(bytes.toString("utf8")) as { meta?: { id?: unknown }; sum?: unknown } | undefined) };
    const kopecks = Number(sum);
    if (Number.isSafeInteger(kopecks))
      this.#moved.set(`${operation} ${String(meta?.id)}`, operation === "retaildrawercashin" ? kopecks : -kopecks);
  }

  get netKopecks(): number {
    return [...this.#moved.values()].reduce((sum, kopecks) => sum + kopecks, 0);
  }

  forget(): void {
    this.#moved.clear();
  }
}
