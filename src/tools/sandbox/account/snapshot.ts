import type { Reference, Stored } from "../values/stored.ts";
import type { Account } from "./account.ts";
import type { LogEntry, LogHeader } from "./log-file.ts";
import type { Change } from "./objects.ts";

/**
 * The changes that a log must keep so that a start builds the same account: the shop's own objects, the place of the
 * generated objects, and every later change.
 */
export class KeptObjects {
  readonly #account: Account;
  /** Keys of the objects that were made before the generated ones. They come first in every list. */
  readonly #before = new Set<string>();
  /** The generated objects. The log need not hold them until somebody changes them. */
  readonly #generated: Reference[] = [];
  /** How many ids were used before the generation. The generated objects get the ids after them. */
  #idsBefore = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  /** Runs the generation and records the objects that it made. */
  generate(work: () => void): void {
    for (const stored of this.#all()) this.#before.add(keyOf(stored));
    this.#idsBefore = this.#account.nextId;
    work();
    for (const { type, id } of this.#all()) if (!this.#before.has(keyOf({ type, id }))) this.#generated.push({ type, id });
  }

  /**
   * Returns a log that builds the same account as the given log, without overwritten changes. Objects of all types stand in
   * one order, in which they were created: a list over several types (the operations of a shift) has this order.
   */
  entries(header: LogHeader, log: readonly LogEntry[]): readonly LogEntry[] {
    const before: Change[] = [];
    const after: Change[] = [];
    for (const { type, id } of aliveIn(log)) {
      const stored = this.#account.objects.get(type, id);
      if (stored !== undefined) (this.#before.has(keyOf(stored)) ? before : after).push({ put: stored });
    }
    for (const { type, id } of this.#generated) {
      if (this.#account.objects.get(type, id) === undefined) after.push({ remove: { type, id } });
    }
    return [
      { header },
      { commits: [{ changes: before, nextId: this.#idsBefore }] },
      { generate: true },
      { commits: [{ changes: after, nextId: this.#account.nextId }] },
    ];
  }

  *#all(): Iterable<Stored> {
    for (const type of this.#account.objects.types()) yield* this.#account.objects.all(type).values();
  }
}

/** Returns the objects that the log holds at its end, in the order in which they were created. */
function aliveIn(log: readonly LogEntry[]): Iterable<Reference> {
  const alive = new Map<string, Reference>();
  for (const change of log.flatMap((entry) => ("commits" in entry ? entry.commits : [])).flatMap(({ changes }) => changes)) {
    if ("remove" in change) alive.delete(keyOf(change.remove));
    else if (!alive.has(keyOf(change.put))) alive.set(keyOf(change.put), change.put);
  }
  return alive.values();
}

export function countChanges(entries: readonly LogEntry[]): number {
  return entries.flatMap((entry) => ("commits" in entry ? entry.commits : [])).reduce((count, { changes }) => count + changes.length, 0);
}

function keyOf({ type, id }: Reference): string {
  return `${type}/${id}`;
}
