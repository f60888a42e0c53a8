import { nextTurn } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import { Rounds } from "../../kernel/rounds.ts";
import type { LoyaltyServices } from "../services.ts";
import { insertQuotes, type QuoteRow } from "./quote-queries.ts";

/** A sale follows its quote after a few seconds, and may reach another process. So quotes are stored soon. */
const FLUSH_MS = 200;
/** The largest number of waiting quotes. Above it the oldest quote is dropped, and the sale of that quote computes the points again. */
const MAX_WAITING = 5_000;
/**
 * The largest number of rows in one commit. `rowsStatement` keeps built statements only up to this number of rows. A larger statement would
 * be built for each commit.
 */
const ROWS_AT_ONCE = 50;
/** After this many characters of traces a commit takes no further row. A trace may have tens of thousands of characters. */
const TRACES_AT_ONCE = 100_000;

/**
 * Stores quotes shortly after they were answered, so that no answer waits for the disk. A crash may lose quotes. Their sales compute the
 * points again.
 */
export class KeptQuotes {
  readonly #services: Pick<LoyaltyServices, "store" | "log">;
  readonly #rounds: Rounds;
  #waiting: QuoteRow[] = [];

  constructor(services: Pick<LoyaltyServices, "store" | "log" | "clock">) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, FLUSH_MS, () => this.flush());
  }

  /** Begins to store quotes. */
  start(): void {
    this.#rounds.start();
  }

  /** Stores the waiting quotes. Do not call `keep` afterwards. */
  async close(): Promise<void> {
    await this.#rounds.close();
    await this.flush();
  }

  /** Keeps a quote in memory until it is stored. */
  keep(row: QuoteRow): void {
    this.#waiting.push(row);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** Returns the member's newest unstored quote of these inputs. */
  waiting(memberId: string, inputsHash: string): QuoteRow | undefined {
    return this.#waiting.findLast((row) => row.member_id === memberId && row.inputs_hash === inputsHash);
  }

  /** Returns the member's newest unstored quote that spends points and was made from `fromMs` to `toMs`. */
  waitingSpend(memberId: string, { fromMs, toMs }: { fromMs: number; toMs: number }): QuoteRow | undefined {
    return this.#waiting.findLast(
      (row) => row.member_id === memberId && row.spent > 0 && row.made_at_ms >= fromMs && row.made_at_ms <= toMs,
    );
  }

  /** Stores all waiting quotes. Drops the quotes of a commit that fails, and logs their number. Other work runs between two commits. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const rows = firstOf(this.#waiting);
      try {
        await this.#services.store.commit((tx) => insertQuotes(tx, rows));
      } catch (error) {
        this.#services.log.warn(
          { error: messageOf(error), quotes: rows.length },
          "quotes could not be stored; their sales are counted anew",
        );
      }
      const stored = new Set(rows);
      this.#waiting = this.#waiting.filter((row) => !stored.has(row));
      if (this.#waiting.length > 0) await nextTurn();
    }
  }
}

/** Returns the first rows, as many as one commit stores: at least one. */
function firstOf(waiting: readonly QuoteRow[]): QuoteRow[] {
  const rows: QuoteRow[] = [];
  let characters = 0;
  for (const row of waiting) {
    if (rows.length === ROWS_AT_ONCE || characters >= TRACES_AT_ONCE) break;
    rows.push(row);
    characters += row.trace.length;
  }
  return rows;
}
