import { Failure } from "../../kernel/failure.ts";
import { wallTimeAt } from "../../kernel/moment.ts";
import type { StepByStep } from "../../kernel/work/stepped.ts";
import type { Programme } from "../programme/programme.ts";
import type { QuotePosition } from "../quote/line.ts";
import { isLongQuote, type Quote, type QuoteInput, quote, quoteInSteps } from "../quote/quote.ts";

type Input = QuoteInput<QuotePosition>;

/**
 * How often a sale's transaction is repeated for a quote. A sale needs two quotes at most. The inputs may change between two tries, for
 * example when the member buys or a minute begins.
 */
const MAX_REPEATED = 5;

/** The code of the failure when a transaction needs a long quote. Call `compute` and repeat the transaction. */
export const QUOTE_DUE = "loyalty-quote-due";

/**
 * The quotes of one sale. A quote of a thousand lines by two hundred rules takes too long for a transaction, which is one turn of the event
 * loop in SQLite. So the transaction ends without a change, the quote is computed in steps, and the transaction begins again.
 */
export class Recounts {
  readonly #known = new Map<Programme, Map<string, Quote<QuotePosition>>>();
  #due: Input | undefined;
  #repeated = 0;

  /**
   * Call it in the transaction. Throws `loyalty-quote-due` for a long quote that is not computed yet. After `MAX_REPEATED` repeats, a long
   * quote is computed at once.
   */
  of(input: Input): Quote<QuotePosition> {
    if (!isLongQuote(input)) return quote(input);
    const known = this.#known.get(input.programme)?.get(nameOf(input));
    if (known !== undefined) return known;
    if (this.#repeated >= MAX_REPEATED) return quote(input);
    this.#due = input;
    throw new Failure(QUOTE_DUE, "dependency", "A long quote is computed before the transaction", { retrySafe: true });
  }

  /** Computes the quote for which the transaction has ended. */
  async compute(steps: StepByStep): Promise<void> {
    const input = this.#due;
    if (input === undefined) return;
    this.#due = undefined;
    this.#repeated += 1;
    const made = await steps.do(quoteInSteps(input));
    const known = this.#known.get(input.programme) ?? new Map<string, Quote<QuotePosition>>();
    this.#known.set(input.programme, known.set(nameOf(input), made));
  }
}

/**
 * Returns a text of all values in which two quotes of one sale by one programme can differ. The time is cut to minutes, because no rule
 * depends on seconds. A lot counts with its points only: the lots of these quotes never expire. The number of positions shows whether lines
 * were joined, because joining makes them fewer.
 */
function nameOf({ member, storeId, zone, nowMs, positions, preferredPoints }: Input): string {
  const points = member?.lots.map(({ remaining }) => remaining) ?? [];
  const buyer = [member?.tier, member?.hasBought, member?.birthday ?? null, points];
  return JSON.stringify([
    ...buyer,
    storeId,
    zone,
    wallTimeAt(nowMs, zone).slice(0, "2026-11-29 11:00".length),
    positions.length,
    preferredPoints ?? null,
  ]);
}
