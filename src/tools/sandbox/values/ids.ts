import { createHash } from "node:crypto";

/** Makes ids from a seed, so that runs can be compared. The ids are no secrets. */
export interface IdMaker {
  /** How many ids of the sequence exist. */
  readonly count: number;
  next(): string;
  /** Returns the same id for the same name. These ids are not in the sequence. */
  named(name: string): string;
  continueAt(count: number): void;
}

/** Returns a maker of ids in the form of UUID version 4. The seed and a number, or the seed and a name, determine an id. */
export function idMaker(seed: number | string): IdMaker {
  let count = 0;
  return {
    get count() {
      return count;
    },
    next() {
      count += 1;
      return uuidOf(`${seed}/${count}`);
    },
    named: (name) => uuidOf(`${seed}/name/${name}`),
    continueAt(reached) {
      count = reached;
    },
  };
}

/**
 * Returns the web application's id for an API id (json-api 2), as used in `uuidHref`. The function is its own inverse, so no table is
 * needed.
 */
export function webId(id: string): string {
  return `${id.slice(0, -12)}${turned(id.slice(-12, -6))}${turned(id.slice(-6))}`;
}

function turned(hex: string): string {
  return (Number.parseInt(hex, 16) ^ 0x5a5a5a).toString(16).padStart(6, "0");
}

/** Whether the text has the form of an id, in either letter case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3] ?? "8";
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
