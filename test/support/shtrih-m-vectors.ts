import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandName } from "../../src/registers/shtrih-m/commands/commands.ts";

/**
 * Vectors of shtrih-protocol 14. The bytes are the document's. The values were read from it, and the tests compare the document's
 * explanations with them.
 */
export interface Vector {
  /** Section of shtrih-protocol 14, and the command. */
  title: string;
  /** `1.0`: the document has a whole frame. `2.0`: the data are taken from a frame of 2.0. `data`: the document has the data alone. */
  source: "1.0" | "2.0" | "data";
  by: "host" | "device";
  command: CommandName;
  frame?: Buffer;
  data: Buffer;
  /** The values of every request, and of an answer without an error. */
  values?: Record<string, unknown>;
  tail?: Buffer;
  /** The error of an answer with one. */
  error?: number;
  form?: "full" | "short";
}

/** A vector in the file: bytes are in hexadecimal, and values are marked when JSON lacks their type. */
export type StoredVector = Omit<Vector, "frame" | "data" | "tail" | "values"> & {
  bytes: string;
  values?: Record<string, unknown>;
  tail?: string;
};

export const VECTOR_FILE = join(import.meta.dirname, "../golden/shtrih-m/vectors.json");

export function readVectors(): Vector[] {
  const stored = JSON.parse(readFileSync(VECTOR_FILE, "utf8"), revive) as StoredVector[];
  return stored.map(({ bytes, tail, ...vector }) => {
    const all = Buffer.from(bytes, "hex");
    const frame = vector.source === "1.0" ? { frame: all, data: all.subarray(2, -1) } : { data: all };
    return { ...vector, ...frame, ...(tail === undefined ? {} : { tail: Buffer.from(tail, "hex") }) };
  });
}

/** The whole frames of protocol 1.0. */
export function readFrames(): Buffer[] {
  return readVectors().flatMap(({ frame }) => (frame === undefined ? [] : [frame]));
}

/** A whole frame of protocol 2.0 in the document, with its data. A frame of type I has none. */
export interface NumberedVector {
  title: string;
  frame: Buffer;
  carries?: { number: number; data: Buffer };
}

const NUMBERED_FILE = join(import.meta.dirname, "../golden/shtrih-m/numbered-frames.json");

/** The whole frames of protocol 2.0. */
export function readNumberedFrames(): NumberedVector[] {
  const stored = JSON.parse(readFileSync(NUMBERED_FILE, "utf8")) as { title: string; bytes: string; number?: number; data?: string }[];
  return stored.map(({ title, bytes, number, data }) => ({
    title,
    frame: Buffer.from(bytes, "hex"),
    ...(number === undefined || data === undefined ? {} : { carries: { number, data: Buffer.from(data, "hex") } }),
  }));
}

/** A value as JSON can hold it. */
export function storable(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("hex") };
  if (typeof value === "bigint") return { $integer: value.toString() };
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, storable(inner)]));
  return value;
}

function revive(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("$bytes" in value) return Buffer.from(String(value.$bytes), "hex");
  if ("$integer" in value) return BigInt(String(value.$integer));
  return value;
}
