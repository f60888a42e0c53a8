import { createHash } from "node:crypto";

/** Ids that a seed decides, so that two runs can be compared; never secrets. */
export interface IdMaker {
  /** How many have been made in a row. */
  readonly count: number;
  next(): string;
  /** The same for the same name, apart from the row. */
  named(name: string): string;
  continueAt(count: number): void;
}

/** Ids of the form of UUID version 4, made of the seed and a number or a name. */
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
 * The id inside a `uuidHref`: another than the API's (reference 2), and one leads to the other both ways
 * without a table.
 */
export function webId(id: string): string {
  return `${id.slice(0, -12)}${turned(id.slice(-12, -6))}${turned(id.slice(-6))}`;
}

function turned(hex: string): string {
  return (Number.parseInt(hex, 16) ^ 0x5a5a5a).toString(16).padStart(6, "0");
}

/** The form that the platform takes as an id in a path or a filter; letters of either case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3] ?? "8";
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
