import { sql } from "kysely";
import { doubtWords } from "../../src/contracts/fiscal/doubt-words.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { verifyJournal } from "../../src/journal/verify/verify-journal.ts";
import type { Store } from "../../src/store/database.ts";
import { disagreement, drawerChange } from "./agreement.ts";
import { BrokenPromise } from "./broken-promise.ts";
import type { Printed } from "./devices/laboratory.ts";
import type { Platform } from "./platform.ts";
import { contentHashOf } from "./platform-operations.ts";
import type { World } from "./world.ts";

/** The largest number of entries that are looked at: more than any simulated run makes. */
const ALL = 10_000;
/** The longest time for which an entry may be queued or sending: its turn at the register, and the turns before it. */
const LONGEST_UNFINISHED_MS = 30 * 60_000;

/** What must hold at any moment: the drive and the journal agree, and nothing that was answered with success is missing or doubled. */
export class Invariants {
  readonly #world: World;
  readonly #platform: Platform;
  readonly #store: Store;
  /** Done entries as they were first seen: they never change. */
  readonly #done = new Map<string, string>();
  readonly #unfinishedSince = new Map<string, number>();
  #seen = "";

  constructor(world: World, platform: Platform, store: Store) {
    this.#world = world;
    this.#platform = platform;
    this.#store = store;
  }

  async checkAlways(): Promise<void> {
    const { reissued } = this.#world.device.drive;
    if (reissued !== undefined)
      throw new BrokenPromise(`${reissued} was made in a drive that had forgotten it: one number was issued twice`);
    // The server works on during the check, so entries are read before and after the drive's documents. An entry that is done
    // before must be among the documents, and each document must have an entry after.
    const seen = await this.#traces();
    if (seen === this.#seen) return;
    const { restored } = this.#world.lost;
    const before = await this.#entries();
    const printed = [...this.#world.device.drive.printed];
    const entries = await this.#entries();
    // The readings belong together only when no copy replaced the database meanwhile.
    if (this.#world.isRestoring || restored !== this.#world.lost.restored) return;
    this.#eachPrintedOnce(printed, entries);
    this.#eachDonePrinted(before, printed);
    this.#eachAnswerKept(entries);
    this.#eachEnds(entries);
    this.#seen = entries.some(({ state }) => state === "queued" || state === "sending") ? "" : seen;
  }

  /** What must hold once nothing goes wrong any more: no entry is open, and the drawer has the sum that the journal states. */
  async checkAtTheEnd(): Promise<void> {
    this.#seen = "";
    await this.checkAlways();
    const entries = await this.#entries();
    const open = entries.find(({ state }) => state !== "done" && state !== "refused");
    if (open !== undefined)
      throw new BrokenPromise(
        `entry ${open.id} never ended: ${open.state}, ${open.doubt === undefined ? "no reason" : doubtWords(open.doubt)}`,
      );
    const expected = entries.map(drawerChange).reduce((sum, change) => sum + change, this.#world.lost.cashKopecks);
    const { drawerKopecks } = this.#world.device.drive;
    if (drawerKopecks !== expected) throw new BrokenPromise(`the drawer has ${drawerKopecks} kopecks, the journal says ${expected}`);
    const sent = this.#platform.documents.filter(({ given }) => given !== true);
    const refused = sent.find(({ lost, last }) => lost && last === "refused");
    if (refused !== undefined) {
      const { kind, document } = refused.operation;
      throw new BrokenPromise(`${kind} ${document.id} stands in the drive, was lost by the journal and is refused`);
    }
    const lost = sent.find(({ last }) => last === undefined || last === "running" || last === "in-doubt");
    if (lost !== undefined) throw new BrokenPromise(`${lost.operation.document.id} never got an answer: ${lost.last ?? "none"}`);
    await this.#journalAgreesWithItself();
  }

  /** What `journal verify` would tell a person. It does not read the answers here, because the answers of these tills have another form. */
  async #journalAgreesWithItself(): Promise<void> {
    const [finding] = (await verifyJournal(this.#store, { answerCheck: () => [] })).findings;
    if (finding !== undefined) throw new BrokenPromise(`the journal disagrees with itself: ${JSON.stringify(finding)}`);
  }

  /** What must hold some time after the last trouble: an operation that has not ended is on a person's list, with a reason. */
  async checkListed(): Promise<void> {
    for (const { id, state, doubt } of await this.#world.journal.unfinished()) {
      if (state !== "in-doubt") throw new BrokenPromise(`entry ${id} is still ${state}, on nobody's list`);
      if (doubt === undefined || doubtWords(doubt) === "") throw new BrokenPromise(`entry ${id} is in doubt and nobody is told why`);
    }
  }

  /** A text that changes whenever the journal, the drive or the answers change. */
  async #traces(): Promise<string> {
    const { rows } = await sql<{ count: number }>`select count(*) as count from moves`.execute(this.#store.db);
    const answers = this.#platform.documents.filter(({ answer }) => answer !== undefined).length;
    return [rows[0]?.count, this.#world.device.drive.printed.length, answers].join();
  }

  async #entries(): Promise<Entry[]> {
    return this.#world.journal.list({ limit: ALL });
  }

  #eachPrintedOnce(printed: readonly Printed[], entries: readonly Entry[]): void {
    const known = new Map(entries.map((entry) => [entry.document.reference, entry]));
    const seen = new Set<string>();
    // A document that is there twice is named first, because its entry can tell of only one of the two.
    for (const { reference, automatic } of printed) {
      if (automatic) continue;
      if (seen.has(reference)) throw new BrokenPromise(`the operation with reference ${reference} was registered twice`);
      seen.add(reference);
    }
    for (const one of printed) {
      const { reference, automatic } = one;
      const entry = known.get(reference);
      const isLost = this.#world.lost.references.has(reference);
      if (entry === undefined && !isLost) throw new BrokenPromise(`${nameOf(one)} of the drive is not in the journal`);
      if (automatic) {
        this.#mustBeExplained(one);
        continue;
      }
      if (entry === undefined) continue;
      if ((entry.state === "refused" || entry.state === "queued") && !isLost) {
        throw new BrokenPromise(`${nameOf(one)} was registered and entry ${entry.id} counts as ${entry.state}`);
      }
      const { identity } = this.#world.device.drive;
      const wrong = entry.state === "done" && identity !== undefined ? disagreement(entry, one, identity) : undefined;
      if (wrong !== undefined) throw new BrokenPromise(`entry ${entry.id} does not tell of ${nameOf(one)}: ${wrong}`);
    }
  }

  /** A model that opens shifts by itself does so only when it makes a document. */
  #mustBeExplained(one: Printed): void {
    const { record } = one;
    const opening = record.kind === "fiscal" && record.facts.document === "open-shift";
    if (!opening || !this.#world.device.opensShifts) throw new BrokenPromise(`nobody knows why the device made ${nameOf(one)}`);
  }

  #eachDonePrinted(entries: readonly Entry[], printed: readonly Printed[]): void {
    const own = new Set(printed.filter(({ automatic }) => !automatic).map(({ reference }) => reference));
    for (const entry of entries) {
      if (entry.state !== "done") continue;
      const facts = JSON.stringify(entry.facts);
      const name = `${this.#world.lost.restored} ${entry.id}`;
      const before = this.#done.get(name);
      if (before !== undefined && before !== facts) throw new BrokenPromise(`entry ${entry.id} was done and has changed since`);
      this.#done.set(name, facts);
      if (!own.has(entry.document.reference) && !this.#isAdopted(entry, entries, printed)) {
        throw new BrokenPromise(`entry ${entry.id} is done and nothing of it stands in the drive`);
      }
    }
  }

  /**
   * An opening by the platform may stand for the report by which the shift was opened before. A closing may stand for one
   * that the server made by itself, whether the journal has this closing or was restored without it.
   */
  #isAdopted(entry: Entry, entries: readonly Entry[], printed: readonly Printed[]): boolean {
    const { facts } = entry;
    const { identity } = this.#world.device.drive;
    const { operation } = entry.key;
    if (facts?.kind !== "fiscal" || identity === undefined || (operation !== "open-shift" && operation !== "close-shift")) return false;
    const automatic = new Set(entries.filter(({ key }) => key.operation === "auto-close-shift").map(({ document }) => document.reference));
    return printed.some(
      (one) =>
        one.record.kind === "fiscal" &&
        disagreement(entry, one, identity) === undefined &&
        (operation === "open-shift" || this.#world.lost.references.has(one.reference) || automatic.has(one.reference)),
    );
  }

  #eachAnswerKept(entries: readonly Entry[]): void {
    for (const { operation, answer, answeredVersion } of this.#platform.documents) {
      if (answer === undefined || answeredVersion === undefined) continue;
      const { kind, document } = operation;
      const entry = entries.find(({ key }) => key.operation === kind && key.documentId === document.id);
      if (entry?.state !== "done") throw new BrokenPromise(`${kind} ${document.id} was answered and is ${entry?.state ?? "unknown"}`);
      if (!answer.startsWith(`${JSON.stringify(entry.facts)} `)) {
        throw new BrokenPromise(`${kind} ${document.id} was answered ${answer}, the journal has ${JSON.stringify(entry.facts)}`);
      }
      if (entry.contentHash !== contentHashOf(operation, answeredVersion)) {
        throw new BrokenPromise(`${kind} ${document.id} was answered for version ${answeredVersion}, registered was ${entry.contentHash}`);
      }
    }
  }

  /** Every operation ends or comes onto a person's list within its time limit. */
  #eachEnds(entries: readonly Entry[]): void {
    const nowMs = this.#world.clock.monotonicMs();
    for (const { id, attempt, state } of entries) {
      if (state !== "queued" && state !== "sending") continue;
      const name = `${this.#world.lost.restored} ${id}/${attempt}`;
      const sinceMs = this.#unfinishedSince.get(name) ?? nowMs;
      this.#unfinishedSince.set(name, sinceMs);
      if (nowMs - sinceMs > LONGEST_UNFINISHED_MS) throw new BrokenPromise(`entry ${id} has been ${state} for half an hour`);
    }
  }
}

function nameOf({ record }: Printed): string {
  return record.kind === "fiscal"
    ? `${record.facts.document} ${record.facts.documentNumber}`
    : `the ${record.document} slip for ${record.sumKopecks} kopecks`;
}
