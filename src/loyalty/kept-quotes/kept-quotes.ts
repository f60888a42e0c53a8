import { messageOf } from "../../kernel/failure.ts";
import { Rounds } from "../../kernel/rounds.ts";
import type { LoyaltyServices } from "../services.ts";
import { insertQuotes, type QuoteRow } from "./quote-queries.ts";

/** How long a quote waits before it is stored. Its sale follows after some seconds and may reach another process. */
const FLUSH_MS = 200;
/** The largest number of quotes that wait to be stored. Above it the oldest is dropped, and the points of its sale are computed again. */
const MAX_WAITING = 5_000;
/** Rows of one statement: twelve columns, below the 32,766 parameters that SQLite takes. */
const ROWS_AT_ONCE = 500;

/**
 * Stores quotes shortly after they were answered, so that no answer waits for the disk. When quotes are lost with the process, the points
 * of their sales are computed again.
 */
export class KeptQuotes {
  readonly #services: Pick<LoyaltyServices, "store" | "log">;
  readonly #rounds: Rounds;
  #waiting: QuoteRow[] = [];

  constructor(services: Pick<LoyaltyServices, "store" | "log" | "clock">) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, FLUSH_MS, () => this.flush());
  }

  start(): void {
    this.#rounds.start();
  }

  async close(): Promise<void> {
    await this.#rounds.close();
    await this.flush();
  }

  /** Takes a quote, which is stored with the next flush. */
  keep(row: QuoteRow): void {
    this.#waiting.push(row);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** The newest quote of these inputs that is not stored yet. */
  waiting(memberId: string, inputsHash: string): QuoteRow | undefined {
    return this.#waiting.findLast((row) => row.member_id === memberId && row.inputs_hash === inputsHash);
  }

  /** The newest quote of a member that spends points, of those made from one time to another that are not stored yet. */
  waitingSpend(memberId: string, { fromMs, toMs }: { fromMs: number; toMs: number }): QuoteRow | undefined {
    return this.#waiting.findLast(
      (row) => row.member_id === memberId && row.spent > 0 && row.made_at_ms >= fromMs && row.made_at_ms <= toMs,
    );
  }

  /** Stores all waiting quotes. Quotes that cannot be stored are dropped and logged. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const rows = this.#waiting.slice(0, ROWS_AT_ONCE);
      try {
        await this.#services.store.commit((tx) => insertQuotes(tx, rows));
      } catch (error) {
        this.#services.log.warn(
          { error: messageOf(error), quotes: rows.length },
          "quotes could not be stored; their sales are counted anew",
        );
      }
      this.#waiting = this.#waiting.filter((row) => !rows.includes(row));
    }
  }
}
