import { type Reference, referenceIn, type Stored } from "../values/stored.ts";
import type { ObjectsWatcher } from "./objects.ts";

/** The reference fields with an index: documents by shift, returns by sale, sales by order. */
const GATHERED = ["retailShift", "demand", "customerOrder"] as const;

type Gathered = (typeof GATHERED)[number];

const NONE: ReadonlyMap<string, Stored> = new Map();

/** Finds the documents that refer to an object. The documents keep the order in which their references appeared. */
export class Backlinks implements ObjectsWatcher {
  readonly #byTarget = new Map<string, Map<string, Stored>>();

  changed(before: Stored | undefined, after: Stored | undefined): void {
    for (const field of GATHERED) {
      const old = referenceIn(before?.values[field]);
      const now = referenceIn(after?.values[field]);
      if (before !== undefined && old !== undefined && (now === undefined || now.id !== old.id)) this.#drop(field, old, before);
      if (after !== undefined && now !== undefined) this.#add(field, now, after);
    }
  }

  /** Returns the documents whose field refers to the target. */
  of(field: Gathered, target: Pick<Reference, "id">): ReadonlyMap<string, Stored> {
    return this.#byTarget.get(`${field}/${target.id}`) ?? NONE;
  }

  #add(field: Gathered, target: Reference, stored: Stored): void {
    const key = `${field}/${target.id}`;
    const held = this.#byTarget.get(key) ?? new Map<string, Stored>();
    held.set(stored.id, stored);
    this.#byTarget.set(key, held);
  }

  #drop(field: Gathered, target: Reference, stored: Stored): void {
    const key = `${field}/${target.id}`;
    const held = this.#byTarget.get(key);
    held?.delete(stored.id);
    if (held?.size === 0) this.#byTarget.delete(key);
  }
}
