import type { Reference, Stored } from "../values/stored.ts";
import type { Account } from "./account.ts";
import type { LogEntry, LogHeader } from "./log-file.ts";
import type { Change } from "./objects.ts";

/**
 * The changes that a compacted log must keep: the shop's own objects, the mark for the generated objects, and the last state of every
 * object that was changed or removed later.
 */
export class KeptObjects {
  readonly #account: Account;
  /** Keys of the objects that are older than the generated objects. They come first in every list. */
  readonly #before = new Set<string>();
  /** The generated objects. The log holds only their later changes. */
  readonly #generated: Reference[] = [];
  /** How many ids were used before the generation. The rewritten log states this number in the commit before `generate`. */
  #idsBefore = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  generate(work: () => void): void {
    for (const stored of this.#all()) this.#before.add(keyOf(stored));
    this.#idsBefore = this.#account.nextId;
    work();
    for (const { type, id } of this.#all()) if (!this.#before.has(keyOf({ type, id }))) this.#generated.push({ type, id });
  }

  /**
   * Returns a log that builds the same account as `log`, without overwritten changes. Objects of all types keep one common order of
   * creation, because a list over several types (the operations of a shift) uses this order.
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

/** Returns the objects of logged changes that exist at the end of the log, in the order of creation. */
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
