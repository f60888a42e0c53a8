import type { Checkpoint, Entry, EntryContent, EntryKey } from "../../src/journal/entry.ts";
import { Journal, type JournalStore } from "../../src/journal/journal.ts";
import type { JournalOutcome } from "../../src/journal/outcome.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import type { Reason } from "../../src/model/reason.ts";
import type { AgentMutation } from "./devices/agent-mutation.ts";

/** Safeguards that a test switches off, one at a time, to see whether the simulation notices. */
export const MUTATIONS = [
  /** The journal does not keep the number of the register's newest document. */
  "no-checkpoint",
  /** The intention is written down only together with its outcome. */
  "no-commit-before-send",
  /** Every request counts as a new operation. */
  "no-key-check",
  /** The server answers with success before the outcome is on disk. */
  "answer-before-commit",
  /** When the register does not answer, nothing counts as registered. */
  "doubt-is-refusal",
  /** When the register does not answer, the document is sent again. */
  "blind-repeat",
  /** The newest entry counts as having the newest document, whatever its number is. */
  "newest-by-row",
  /** The number in the register's status counts, even if the drive has newer documents. */
  "status-believed",
  /** The server does not check whose the open shift is, nor which documents of the platform the drive has. */
  "close-whatever-is-open",
  /** A second server may start on the same data. */
  "no-lock",
] as const;

export type Mutation = (typeof MUTATIONS)[number] | AgentMutation;

/** The unchanged journal, or one without a safeguard. */
export function mutatedJournal(mutation: Mutation | undefined, services: { store: JournalStore; clock: Clock }): Journal {
  switch (mutation) {
    case "no-checkpoint":
      return new ForgetfulJournal(services);
    case "no-commit-before-send":
      return new LateJournal(services);
    case "no-key-check":
      return new KeylessJournal(services);
    case "answer-before-commit":
      return new HastyJournal(services);
    case "newest-by-row":
      return new RowJournal(services);
    case "close-whatever-is-open":
      return new UnreadJournal(services);
    default:
      return new Journal(services);
  }
}

/** Does not know the register's newest document from before the sending. So a lost answer looks as if nothing had been made. */
class ForgetfulJournal extends Journal {
  override async find(key: EntryKey): Promise<Entry | undefined> {
    return withoutCheckpoint(await super.find(key));
  }

  override async sentOn(register: string): Promise<Entry[]> {
    return (await super.sentOn(register)).map((entry) => withoutCheckpoint(entry) ?? entry);
  }

  override async finish(...[entry, outcome, by, reasons]: Parameters<Journal["finish"]>): Promise<Entry> {
    const finished = await super.finish(entry, outcome, by, reasons);
    return withoutCheckpoint(finished) ?? finished;
  }
}

function withoutCheckpoint(entry: Entry | undefined): Entry | undefined {
  if (entry === undefined) return undefined;
  const { checkpoint: _, ...rest } = entry;
  return rest;
}

/** Writes the intention down only together with its outcome. */
class LateJournal extends Journal {
  readonly #begun = new Map<string, { content: EntryContent; checkpoint: Checkpoint }>();

  override async begin(content: EntryContent, checkpoint: Checkpoint): Promise<Entry> {
    this.#begun.set(JSON.stringify(content.key), { content, checkpoint });
    return { ...content, id: -1, state: "sending", attempt: 1, acceptedAtMs: 0, movedAtMs: 0, checkpoint };
  }

  override async finish(entry: Entry, outcome: JournalOutcome, ...why: [by: "register", reasons?: readonly Reason[]]): Promise<Entry> {
    const late = this.#begun.get(JSON.stringify(entry.key));
    if (entry.id !== -1 || late === undefined) return super.finish(entry, outcome, ...why);
    return super.finish(await super.begin(late.content, late.checkpoint), outcome, ...why);
  }
}

/** Treats every request as a new operation. */
class KeylessJournal extends Journal {
  #count = 0;

  override async find(): Promise<Entry | undefined> {
    return undefined;
  }

  override async twins(): Promise<Entry[]> {
    return [];
  }

  override begin(content: EntryContent, checkpoint: Checkpoint): Promise<Entry> {
    return super.begin(this.#unkeyed(content), checkpoint);
  }

  override accept(content: EntryContent): Promise<Entry> {
    return super.accept(this.#unkeyed(content));
  }

  #unkeyed(content: EntryContent): EntryContent {
    this.#count += 1;
    return { ...content, key: { ...content.key, documentId: `${content.key.documentId} ${this.#count} ${content.document.reference}` } };
  }
}

/** Does not wait for the commit of an outcome, nor for that of an answer. */
class HastyJournal extends Journal {
  override async finish(...[entry, outcome, by, reasons]: Parameters<Journal["finish"]>): Promise<Entry> {
    const finishing = super.finish(entry, outcome, by, reasons);
    if (outcome.kind !== "done") return finishing;
    finishing.catch((error: unknown) => this.lost.push(error));
    return { ...entry, state: "done", facts: outcome.facts };
  }

  override async storeAnswer(...[entry, body]: Parameters<Journal["storeAnswer"]>): Promise<Buffer> {
    super.storeAnswer(entry, body).catch((error: unknown) => this.lost.push(error));
    return body;
  }

  /** Errors of commits that nobody has waited for. */
  readonly lost: unknown[] = [];
}

/** Takes the entry that came last for the entry of the newest document. */
class RowJournal extends Journal {
  override async lastDocumentNumber(driveNumber: string): Promise<number> {
    return (await this.#numbers(driveNumber))[0] ?? 0;
  }

  override async documentNumbers(driveNumber: string, behind: number): Promise<Set<number>> {
    const newest = await this.#numbers(driveNumber);
    return new Set(newest.slice(0, Math.max(0, Math.max(0, ...newest) - behind)));
  }

  /** Numbers in the order of the entries, the newest first. */
  async #numbers(driveNumber: string): Promise<number[]> {
    const entries = await this.list({ state: "done", limit: 10_000 });
    return entries.flatMap(({ facts }) =>
      facts?.kind === "fiscal" && facts.identity.driveNumber === driveNumber ? [facts.documentNumber] : [],
    );
  }
}

/** Does not know which shifts of the device were the platform's, nor which reports in the drive the journal lacks. */
class UnreadJournal extends Journal {
  override async deviceShiftsOf(): Promise<number[]> {
    return [];
  }

  override async hasDocument(): Promise<boolean> {
    return true;
  }
}
