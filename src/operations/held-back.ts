import type { Clock } from "../kernel/clock.ts";

export interface HeldBackLimits {
  /** A waiting document loses its place when no caller has repeated it for this time. */
  forgottenAfterMs: number;
  /** The largest number of waiting documents of one name in each class. A further document gets no place until a place becomes free. */
  documents: number;
  /** The largest number of names with waiting documents. When there are more, the least recently used name loses its places. */
  names: number;
  /** How long one class goes first, before the other class does. */
  turnMs: number;
}

interface Place {
  /** The time of the last request, on the monotonic clock. */
  askedAtMs: number;
  /** The document was held back at least twice. Only such a document goes before other documents, because its caller has come again. */
  repeated: boolean;
}

/** The waiting documents of one class, in the order of their first wait. */
type Places = Map<string, Place>;

interface Waiting {
  fresh: Places;
  refused: Places;
}

/**
 * The order in which held back documents may be sent. The document that waits longest goes first, so no document waits for ever while other
 * documents are sent again and again. There are two classes: documents that the register has not refused yet (`fresh`), and documents that
 * it has refused (`refused`). Each class goes first for `turnMs`, then the other class. So a new document does not wait for hundreds of
 * refused documents, and a refused document does not wait behind more and more new documents.
 *
 * A document keeps its place until its attempt has ended, or until no caller repeats it any more. Other documents do not wait for a
 * document that was never repeated.
 */
export class HeldBack {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limits: HeldBackLimits;
  readonly #names = new Map<string, Waiting>();

  constructor(clock: Pick<Clock, "monotonicMs">, limits: HeldBackLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Whether the document is among the next `attempts` documents of its name. Otherwise the document keeps its place, or gets one if there
   * is room.
   */
  mayGo(name: string, document: string, { attempts, refused }: { attempts: number; refused: boolean }): boolean {
    const waiting = this.#names.get(name) ?? { fresh: new Map(), refused: new Map() };
    const own = refused ? waiting.refused : waiting.fresh;
    if (this.#ahead(waiting, own, document, attempts) < attempts) return true;
    this.#wait(name, waiting, own, document);
    return false;
  }

  /** Frees the document's place, because its attempt has ended. */
  ended(name: string, document: string): void {
    const waiting = this.#names.get(name);
    if (waiting === undefined) return;
    waiting.fresh.delete(document);
    waiting.refused.delete(document);
    if (waiting.fresh.size + waiting.refused.size === 0) this.#names.delete(name);
  }

  /** Counts the repeated documents before this document, at most `most`. A document without a place comes after all places of its class. */
  #ahead({ fresh, refused }: Waiting, own: Places, document: string, most: number): number {
    const freshFirst = Math.floor(this.#clock.monotonicMs() / this.#limits.turnMs) % 2 === 0;
    let ahead = 0;
    for (const places of freshFirst ? [fresh, refused] : [refused, fresh]) {
      for (const [other, place] of places) {
        if (ahead >= most || (places === own && other === document)) return ahead;
        if (this.#isForgotten(place)) places.delete(other);
        else if (place.repeated) ahead += 1;
      }
      if (places === own) return ahead;
    }
    return ahead;
  }

  #wait(name: string, waiting: Waiting, own: Places, document: string): void {
    const { documents, names } = this.#limits;
    for (const [other, place] of own) {
      if (own.size < documents || !this.#isForgotten(place)) break;
      own.delete(other);
    }
    const repeated = own.has(document);
    // A document that is already in the map keeps its place there.
    if (repeated || own.size < documents) own.set(document, { askedAtMs: this.#clock.monotonicMs(), repeated });
    this.#names.delete(name);
    this.#names.set(name, waiting);
    const [quietest] = this.#names.keys();
    if (this.#names.size > names && quietest !== undefined) this.#names.delete(quietest);
  }

  #isForgotten({ askedAtMs }: Place): boolean {
    return this.#clock.monotonicMs() - askedAtMs >= this.#limits.forgottenAfterMs;
  }
}
