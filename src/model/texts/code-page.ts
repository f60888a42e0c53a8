import { spelled } from "./spelling.ts";

const ABSENT = -1;

/**
 * A code page of one byte for each character. Node can decode it but not encode it, so the encoding table, by UTF-16 code, comes from the
 * decoder. Every byte has a character, so decoding and encoding again returns the same bytes.
 */
class CodePage {
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly #bytes = new Int16Array(65_536).fill(ABSENT);

  constructor(label: "ibm866" | "windows-1251") {
    this.#decoder = new TextDecoder(label);
    for (let byte = 0; byte < 256; byte += 1) this.#bytes[this.decode(Uint8Array.of(byte)).charCodeAt(0)] = byte;
  }

  /** Whether the page has the UTF-16 unit. */
  has(unit: string): boolean {
    return this.#byteOf(unit.charCodeAt(0)) !== ABSENT;
  }

  /** Returns one byte for each character. A missing character is replaced by a spelling, at worst by `?`. */
  encode(text: string): Buffer {
    const plain = spelled(text, (unit) => this.has(unit));
    const bytes = Buffer.allocUnsafe(plain.length);
    for (let at = 0; at < plain.length; at += 1) bytes[at] = this.#byteOf(plain.charCodeAt(at));
    return bytes;
  }

  decode(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes);
  }

  #byteOf(utf16: number): number {
    return this.#bytes[utf16] ?? ABSENT;
  }
}

/** Texts in a drive and inside TLV (fiscal-receipts 1.2). */
export const CP866 = new CodePage("ibm866");
/** Texts in commands of some registers (shtrih-protocol 0.2). */
export const CP1251 = new CodePage("windows-1251");
