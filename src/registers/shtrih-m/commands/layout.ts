import type { Field, OptionalField } from "./fields.ts";

/** Fields in the order of their bytes. */
export type Shape = Record<string, Field<unknown>>;

/** The values of a shape. Optional fields may be omitted. */
export type ValuesOf<S extends Shape> = Simplify<
  { -readonly [K in keyof S as S[K] extends OptionalField<unknown> ? never : K]: ValueOf<S[K]> } & {
    -readonly [K in keyof S as S[K] extends OptionalField<unknown> ? K : never]?: ValueOf<S[K]>;
  }
>;

type ValueOf<F> = F extends { read(bytes: Buffer): infer T } ? T : never;
type Simplify<T> = { [K in keyof T]: T[K] };

type Read = { kind: "values"; values: Record<string, unknown>; tail: Buffer } | { kind: "short"; field: string };

/**
 * Reads the fields in sequence. When bytes are missing for an optional field, reading stops there. When they are missing for a required
 * field, the result is `short`. The bytes after the last field read are the tail: newer firmware sends more than is documented
 * (shtrih-protocol 4.2).
 */
export function readFields(shape: Shape, bytes: Buffer): Read {
  const values: Record<string, unknown> = {};
  let at = 0;
  for (const [name, field] of Object.entries(shape)) {
    const left = bytes.subarray(at);
    const length = left.length < field.bytes ? field.bytes : (field.length?.(left) ?? field.bytes);
    if (left.length < length) {
      if (field.optional === true) break;
      return { kind: "short", field: name };
    }
    values[name] = field.read(left.subarray(0, length));
    at += length;
  }
  return { kind: "values", values, tail: bytes.subarray(at) };
}

/** Writes the fields in sequence. Throws RangeError when a required value is missing or a value does not fit its field. */
export function writeFields(shape: Shape, values: Readonly<Record<string, unknown>>): Buffer {
  const parts: Uint8Array[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const value = values[name];
    if (value === undefined) {
      if (field.optional === true) continue;
      throw new RangeError(`no value for ${name}`);
    }
    parts.push(field.write(value));
  }
  return Buffer.concat(parts);
}
