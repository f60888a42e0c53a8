import { codewordsOf } from "./codewords.ts";
import { type Frame, frameOf } from "./frame.ts";
import { Modules } from "./modules.ts";
import { penaltyOf } from "./penalty.ts";

/**
 * Makes QR codes of error correction level M (ISO/IEC 18004). Caches the parts that all symbols of a version share. There are at most 40
 * versions, and receipts need few.
 */
export class QrEncoder {
  readonly #frames = new Map<number, Frame>();

  /** Returns the smallest symbol for the text, with the mask of the lowest penalty. Throws `qr-too-long` of kind `fault`. */
  encode(text: string): Modules {
    const { version, bytes } = codewordsOf(text);
    const { size, order, layers } = this.#frame(version);
    const data = new Modules(size);
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const cell = order[bit] ?? 0;
      if ((((bytes[bit >> 3] ?? 0) << (bit & 7)) & 0x80) !== 0) data.darken(Math.floor(cell / size), cell % size);
    }
    const symbol = new Modules(size);
    let best: Modules | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const layer of layers) {
      symbol.combine(data, layer);
      const penalty = penaltyOf(symbol);
      if (penalty >= lowest) continue;
      lowest = penalty;
      best = layer;
    }
    symbol.combine(data, best ?? data);
    return symbol;
  }

  #frame(version: number): Frame {
    const known = this.#frames.get(version);
    if (known !== undefined) return known;
    const frame = frameOf(version);
    this.#frames.set(version, frame);
    return frame;
  }
}
