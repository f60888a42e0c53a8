import type { Reference, Stored } from "../values/stored.ts";
import type { Account } from "./account.ts";
import type { LogEntry, LogHeader } from "./log-file.ts";
import type { Change } from "./objects.ts";

/**
 * What must be kept of an account so that a start finds it again, in the order in which the log has it: the shop's
 * own objects, the place of the generated ones, whatever came or changed since.
 */
export class KeptObjects {
  readonly #account: Account;
  /** Made before the generated ones: they stay before them in every list. */
  readonly #before = new Set<string>();
  /** As the seed made them: these need not be kept while nobody changes them. */
  readonly #generated: Reference[] = [];
  /** Ids that were taken then: the generated ones follow them. */
  #idsBefore = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  /** Runs the generation and remembers what it made. */
  generate(work: () => void): void {
    for (const stored of this.#all()) this.#before.add(keyOf(stored));
    this.#idsBefore = this.#account.nextId;
    work();
    for (const { type, id } of this.#all()) if (!this.#before.has(keyOf({ type, id }))) this.#generated.push({ type, id });
  }

  /**
   * A log that leads to the same account as the one that it was read from. Of all types in one order, as they were made:
   * what is gathered from several types (a shift's operations) is in the order in which it came.
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

/** What the log has put and not removed, by the first time that it was put. */
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
