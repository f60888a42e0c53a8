import type { Entry } from "../journal/entry.ts";
import { isFenced } from "../journal/failures.ts";
import type { EntryHead } from "../journal/reading/head.ts";
import { needsPerson } from "../journal/responsibility.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { Rounds } from "../kernel/rounds.ts";
import type { Register } from "../registers/register.ts";
import type { Lanes } from "./lanes.ts";
import { resume } from "./resume.ts";
import type { OperationServices } from "./services.ts";

/**
 * The pause between two inspections of silent registers. A returning register is in service within about five seconds: the inspection that
 * misses it, this pause, and the inspection that finds it.
 */
const LOOK_INTERVAL_MS = 2_000;
/**
 * The pause before an entry that stayed in doubt, or that could not be taken up, is taken up again. The entries of a silent register are
 * also taken up as soon as the register answers.
 */
const RETRY_INTERVAL_MS = 5_000;
/**
 * The longest time for one inspection of a silent register, identity included. It bounds the wait of an operation that arrives meanwhile.
 */
const LOOK_LIMIT_MS = 3_000;

/** A register that did not answer its last request. */
interface SilentRegister {
  /** Canonical address: the name of its lane. */
  address: string;
  register: Register;
}

/**
 * Ends unfinished operations: at the start after a crash, and later when a register did not answer at first. Also inspects silent
 * registers, so that their return is known before somebody needs them. All work runs in the register's own lane, oldest entry first. No
 * round waits for a lane.
 */
export class Recovery {
  readonly #services: OperationServices;
  readonly #lanes: Lanes;
  readonly #silent: () => readonly SilentRegister[];
  readonly #rounds: Rounds;
  readonly #running = new Set<Promise<void>>();
  /** When each entry that stayed in doubt, or that could not be taken up, is due again: ms of the monotonic clock. */
  readonly #dueMs = new Map<number, number>();
  /** The entries whose doubt was logged for a person. Each doubt is logged once, however long it lasts. */
  readonly #logged = new Set<number>();
  #closed = false;

  constructor(services: OperationServices, lanes: Lanes, silent: () => readonly SilentRegister[] = () => []) {
    this.#services = services;
    this.#lanes = lanes;
    this.#silent = silent;
    this.#rounds = new Rounds(services.clock, LOOK_INTERVAL_MS, () => this.#once());
  }

  /** Takes up everything immediately, then continues in the background. */
  start(): void {
    this.#rounds.start();
  }

  /** Starts nothing new and waits for the running work. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#rounds.close();
    await Promise.all(this.#running);
  }

  /** Skips busy lanes: an unfinished entry there is in its turn, or the next turn settles it. */
  async #once(): Promise<void> {
    for (const { address, register } of this.#silent()) {
      if (!this.#lanes.isBusy(address) && (await this.#isHere(address))) this.#run(this.#lookAt(address, register));
    }
    try {
      const entries = await this.#services.journal.heads.unfinished();
      this.#forgetEnded(entries);
      for (const entry of this.#due(entries)) this.#run(this.#takeUp(entry));
    } catch (error) {
      this.#services.log.error({ error: messageOf(error) }, "unfinished operations could not be looked at");
    }
  }

  /** Rounds do not await this work, so a register that hangs delays no other register. The work handles its own failures. */
  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #due(entries: readonly EntryHead[]): EntryHead[] {
    const nowMs = this.#services.clock.monotonicMs();
    return entries.filter(({ id, register }) => !this.#lanes.isBusy(register) && (this.#dueMs.get(id) ?? 0) <= nowMs);
  }

  #forgetEnded(entries: readonly EntryHead[]): void {
    const unfinished = new Set(entries.map(({ id }) => id));
    for (const known of [this.#dueMs, this.#logged]) {
      for (const id of known.keys()) if (!unfinished.has(id)) known.delete(id);
    }
  }

  /** Inspects a silent register. If the register answers, takes up its unfinished entries. */
  async #lookAt(address: string, register: Register): Promise<void> {
    const { clock, log, journal } = this.#services;
    const place = this.#lanes.enter(address, () => register.inspect(deadlineIn(clock, LOOK_LIMIT_MS)));
    if (place.kind === "full") return;
    try {
      if ((await place.result).kind === "unreachable") return;
      log.warn({ register: address }, "a register that was silent answers again");
      await Promise.all((await journal.heads.unfinishedOn(address)).map((entry) => this.#takeUp(entry)));
    } catch (error) {
      log.error({ register: address, error: messageOf(error) }, "a silent register could not be looked at");
    }
  }

  async #takeUp(entry: EntryHead): Promise<void> {
    const { log, clock } = this.#services;
    if (this.#closed || !(await this.#isHere(entry.register))) return;
    const place = this.#lanes.enter(entry.register, () => resume(this.#services, entry), entry.key.accountId);
    if (place.kind === "full") return;
    try {
      const ended = await place.result;
      if (ended.state === "in-doubt") {
        this.#dueMs.set(entry.id, clock.monotonicMs() + RETRY_INTERVAL_MS);
        this.#logStopped(ended);
      } else
        log.warn({ entry: entry.id, from: entry.state, to: ended.state, register: entry.register }, "an unfinished operation was settled");
    } catch (error) {
      // Another process has the register now and takes up its unfinished entries.
      if (isFenced(error)) return;
      this.#dueMs.set(entry.id, clock.monotonicMs() + RETRY_INTERVAL_MS);
      log.error({ entry: entry.id, error: messageOf(error) }, "an unfinished operation could not be taken up");
    }
  }

  /** Whether this process may work at the register. A free register is taken for this process. */
  async #isHere(register: string): Promise<boolean> {
    const { held, log } = this.#services;
    if (held === undefined) return true;
    try {
      return (await held.enter(register)) !== undefined;
    } catch (error) {
      log.error({ register, error: messageOf(error) }, "the holder of a register could not be found out");
      return false;
    }
  }

  /** Logs each doubt that waits for a person, once, even when nobody tries to sell at this register. */
  #logStopped(entry: Entry): void {
    const { log, clock } = this.#services;
    const { id, register, doubt } = entry;
    if (this.#logged.has(id) || !needsPerson(entry, clock.nowMs())) return;
    this.#logged.add(id);
    log.error({ entry: id, register, doubt }, "the lane waits for a person");
  }
}
