import type { Account } from "./account.ts";
import type { LogEntry, LogHeader } from "./log-file.ts";
import type { Change } from "./objects.ts";
import type { Stored } from "./stored.ts";

/**
 * What must be kept of an account so that a start finds it again, in the order in which the log has it: the shop's
 * own objects, the place of the generated ones, whatever came or changed since.
 */
export class KeptObjects {
  readonly #account: Account;
  /** Made before the generated ones: they stay before them in every list. */
  readonly #before = new Set<string>();
  /** As the seed made them: these need not be kept while nobody changes them. */
  readonly #generated = new Map<string, Stored>();
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
    for (const stored of this.#all()) if (!this.#before.has(keyOf(stored))) this.#generated.set(keyOf(stored), stored);
  }

  /** A log that leads to the same account. */
  entries(header: LogHeader): readonly LogEntry[] {
    const before: Change[] = [];
    const after: Change[] = [];
    for (const stored of this.#all()) {
      const key = keyOf(stored);
      if (this.#before.has(key)) before.push({ put: stored });
      else if (this.#generated.get(key) !== stored) after.push({ put: stored });
      this.#generated.delete(key);
    }
    for (const { type, id } of this.#generated.values()) after.push({ remove: { type, id } });
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

export function countChanges(entries: readonly LogEntry[]): number {
  return entries.flatMap((entry) => ("commits" in entry ? entry.commits : [])).reduce((count, { changes }) => count + changes.length, 0);
}

function keyOf({ type, id }: Stored): string {
  return `${type}/${id}`;
}
