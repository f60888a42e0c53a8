import type { Entry } from "../journal/entry.ts";
import { isPersons } from "../journal/responsibility.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { Rounds } from "../kernel/rounds.ts";
import type { Register } from "../registers/register.ts";
import type { Lanes } from "./lanes.ts";
import { resume } from "./resume.ts";
import type { OperationServices } from "./services.ts";

/**
 * How often registers that fell silent are looked at. One that comes back is in service within five seconds: the
 * look that missed it, this pause, and the look that finds it.
 */
const LOOK_INTERVAL_MS = 2_000;
/** How soon an entry that stayed in doubt is taken up again: its register answers, so that only a person can change much. */
const RETRY_INTERVAL_MS = 5_000;
/** For one look at a silent register, who it is included: an operation that comes meanwhile waits no longer than this. */
const LOOK_LIMIT_MS = 3_000;

/** A register that did not answer when it was last asked. */
interface SilentRegister {
  /** Canonical address: the name of its lane. */
  address: string;
  register: Register;
}

/**
 * Ends what was left unfinished, at the start after a kill and later whatever a register could not tell at once,
 * and looks after registers that fell silent, so that one that comes back is known to be there before anybody
 * needs it. All of it happens in the register's own lane, entries oldest first; no round waits for a lane.
 */
export class Recovery {
  readonly #services: OperationServices;
  readonly #lanes: Lanes;
  readonly #silent: () => readonly SilentRegister[];
  readonly #rounds: Rounds;
  readonly #running = new Set<Promise<void>>();
  /** Entries that stayed in doubt, and when they are due again. */
  readonly #dueMs = new Map<number, number>();
  /** Doubts that a person was told of: once each, however long they last. */
  readonly #told = new Set<number>();
  #closed = false;

  constructor(services: OperationServices, lanes: Lanes, silent: () => readonly SilentRegister[] = () => []) {
    this.#services = services;
    this.#lanes = lanes;
    this.#silent = silent;
    this.#rounds = new Rounds(services.clock, LOOK_INTERVAL_MS, () => this.#once());
  }

  /** Takes up everything at once, and goes on looking in the background. */
  start(): void {
    this.#rounds.start();
  }

  /** Begins nothing new and waits for what it has at registers. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#rounds.close();
    await Promise.all(this.#running);
  }

  /** A busy lane is left alone: what is unfinished there has its turn now or settles before the next. */
  async #once(): Promise<void> {
    for (const { address, register } of this.#silent()) {
      if (!this.#lanes.isBusy(address)) this.#run(this.#lookAt(address, register));
    }
    try {
      const entries = await this.#services.journal.unfinished();
      this.#forgetEnded(entries);
      for (const entry of this.#due(entries)) this.#run(this.#takeUp(entry));
    } catch (error) {
      this.#services.log.error({ error: messageOf(error) }, "unfinished operations could not be looked at");
    }
  }

  /** Not awaited by the round: one register that hangs holds up no other. The work keeps its own failures. */
  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #due(entries: readonly Entry[]): Entry[] {
    const nowMs = this.#services.clock.monotonicMs();
    return entries.filter(({ id, register }) => !this.#lanes.isBusy(register) && (this.#dueMs.get(id) ?? 0) <= nowMs);
  }

  #forgetEnded(entries: readonly Entry[]): void {
    const unfinished = new Set(entries.map(({ id }) => id));
    for (const known of [this.#dueMs, this.#told]) {
      for (const id of known.keys()) if (!unfinished.has(id)) known.delete(id);
    }
  }

  /** Asks a silent register for its state; what is unfinished there is taken up once it has answered. */
  async #lookAt(address: string, register: Register): Promise<void> {
    const { clock, log, journal } = this.#services;
    const place = this.#lanes.enter(address, () => register.inspect(deadlineIn(clock, LOOK_LIMIT_MS)));
    if (place.kind === "full") return;
    try {
      if ((await place.result).kind === "unreachable") return;
      log.warn({ register: address }, "a register that was silent answers again");
      await Promise.all((await journal.unfinishedOn(address)).map((entry) => this.#takeUp(entry)));
    } catch (error) {
      log.error({ register: address, error: messageOf(error) }, "a silent register could not be looked at");
    }
  }

  async #takeUp(entry: Entry): Promise<void> {
    const { log, clock } = this.#services;
    if (this.#closed) return;
    const place = this.#lanes.enter(entry.register, () => resume(this.#services, entry));
    if (place.kind === "full") return;
    try {
      const ended = await place.result;
      if (ended.state === "in-doubt") {
        this.#dueMs.set(entry.id, clock.monotonicMs() + RETRY_INTERVAL_MS);
        this.#tellOf(ended);
      } else
        log.warn({ entry: entry.id, from: entry.state, to: ended.state, register: entry.register }, "an unfinished operation was settled");
    } catch (error) {
      this.#dueMs.set(entry.id, clock.monotonicMs() + RETRY_INTERVAL_MS);
      log.error({ entry: entry.id, error: messageOf(error) }, "an unfinished operation could not be taken up");
    }
  }

  /** Nobody need sell there for a person to learn that the server cannot end it. */
  #tellOf(entry: Entry): void {
    const { log, clock } = this.#services;
    const { id, register, doubt } = entry;
    if (this.#told.has(id) || !isPersons(entry, clock.nowMs())) return;
    this.#told.add(id);
    log.error({ entry: id, register, doubt }, "the lane waits for a person");
  }
}
