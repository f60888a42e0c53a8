/** A number as a little-endian field (shtrih-protocol 0.2). This folder is written from shtrih-protocol alone and uses nothing of src. */
export const uint = (value: number, size: number): Buffer => {
  const out = Buffer.alloc(size);
  out.writeUIntLE(value, 0, size);
  return out;
};

export const money = (kopecks: number): Buffer => uint(kopecks, 5);

/** The money field of a value that is not given (shtrih-protocol 0.2). */
export const absentMoney = Buffer.alloc(5, 0xff);

export const fromHex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s+/g, ""), "hex");

export const toHex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");

/** The code of a command in hexadecimal: `1E` or `FF45`. */
export const codeOf = (data: Uint8Array): string => {
  const hex = (at: number) => (data[at] ?? 0).toString(16).toUpperCase().padStart(2, "0");
  return data[0] === 0xff && data.length > 1 ? `FF${hex(1)}` : hex(0);
};

export class Fields {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = Buffer.from(bytes);
    this.#at = at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  uint(size: number): number {
    if (this.left < size) throw new RangeError(`${size} bytes wanted at ${this.#at}, ${this.left} left in ${toHex(this.#bytes)}`);
    const value = this.#bytes.readUIntLE(this.#at, size);
    this.#at += size;
    return value;
  }

  take(size = this.left): Buffer {
    if (this.left < size) throw new RangeError(`${size} bytes wanted at ${this.#at}, ${this.left} left in ${toHex(this.#bytes)}`);
    const part = this.#bytes.subarray(this.#at, this.#at + size);
    this.#at += size;
    return part;
  }
}
