import type { Checkpoint, Entry, EntryContent, EntryKey } from "../journal/entry.ts";
import { isFenced, isMoved } from "../journal/failures.ts";
import { type Deadline, deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { PerKeyWork } from "../kernel/per-key-work.ts";
import { UNSTATED } from "../model/doubt.ts";
import { answerFor, newAnswer } from "./answer.ts";
import { correctionOf } from "./corrections.ts";
import type { Lanes, Place } from "./lanes.ts";
import { type PlannedOperation, planOperation, turnAt } from "./plan.ts";
import { current, resumeOrDoubt } from "./resume.ts";
import type { HeldRegister, OperationServices } from "./services.ts";
import type { Elsewhere, Submission, Submitted } from "./submission.ts";
import { Turn, type TurnResult } from "./turn.ts";

/**
 * The time within which the platform gets an answer, whatever the register does (interface 5, Idempotency). The work continues, and a
 * repeat gets its result. For comparison: in its other contracts the platform waits ten seconds.
 */
const ANSWER_LIMIT_MS = 9_000;
/** A repeat may first end an old doubt and then make a new attempt: at most two rounds. */
const MAX_ROUNDS = 2;

/**
 * Takes operations from the contracts and completes each. At most one submission of a key runs at a time. A repeat that comes meanwhile
 * waits for the same result.
 */
export class Operations {
  readonly #services: OperationServices;
  readonly #lanes: Lanes;
  /** The running work of each key, with its content. Work may continue after its answer; the lanes limit how much. */
  readonly #running = new PerKeyWork<Submitted | Elsewhere, RunningContent>();

  constructor(services: OperationServices, lanes: Lanes) {
    this.#services = services;
    this.#lanes = lanes;
  }

  /**
   * Registers the operation, or returns its existing result. Answers within `ANSWER_LIMIT_MS`. Safe to repeat with the same content.
   * Throws a `Failure` only when this call did not send the document. An earlier call may have sent it, so a failure never means that
   * nothing was registered.
   */
  async submit(submission: Submission): Promise<Submitted> {
    const { clock, observe } = this.#services;
    const startedMs = clock.monotonicMs();
    const { result, here } = await this.#route(submission, deadlineIn(clock, ANSWER_LIMIT_MS));
    if (here) observe(submission.operation.kind, result.kind, clock.monotonicMs() - startedMs);
    return result;
  }

  /** Like `submit`, at this process only. */
  async submitHere(submission: Submission): Promise<Submitted | Elsewhere> {
    const { clock, observe } = this.#services;
    const startedMs = clock.monotonicMs();
    const result = await this.#join(submission, deadlineIn(clock, ANSWER_LIMIT_MS));
    if (result.kind !== "elsewhere") observe(submission.operation.kind, result.kind, clock.monotonicMs() - startedMs);
    return result;
  }

  /** Forwards the submission while another process has the register. `here`: the result is not from another process. */
  async #route(submission: Submission, deadline: Deadline): Promise<{ result: Submitted; here: boolean }> {
    do {
      const result = await this.#join(submission, deadline);
      if (result.kind !== "elsewhere") return { result, here: true };
      const there = await this.#services.held?.forward(result.register, submission, deadline);
      if (there !== undefined && there.kind !== "here") return { result: there, here: false };
    } while (deadline.remainingMs() > 0);
    return { result: { kind: "running" }, here: true };
  }

  async #join(submission: Submission, deadline: Deadline): Promise<Submitted | Elsewhere> {
    const key = keyOf(submission);
    const { contentHash } = submission;
    const { clock, log } = this.#services;
    do {
      const { subject, result } = this.#begin(submission, key);
      if (subject.contentHash === contentHash) {
        const waited = await waitUntil(clock, deadline, result);
        if (waited.kind === "finished") return waited.value;
        result.catch((error: unknown) => log.error({ key, error: messageOf(error) }, "an operation failed after it had been answered"));
        return { kind: "running" };
      }
      // The running call has another content. Until it is admitted, it may find that a third content, or another process, has the key.
      await waitUntil(clock, deadline, Promise.race([subject.admitted, settled(result)]));
      if (subject.isAdmitted && !(await this.#isRecorded(key, contentHash))) return { kind: "content-differs" };
      // The call with the other content ends soon. Its failure, if any, is for its own caller only.
      await waitUntil(clock, deadline, settled(result));
    } while (deadline.remainingMs() > 0);
    return { kind: "running" };
  }

  /** Returns the running work of the key, or starts the work of the submission. */
  #begin(submission: Submission, key: EntryKey) {
    const { contentHash } = submission;
    const { promise: admitted, resolve } = Promise.withResolvers<void>();
    const running = { contentHash, admitted, isAdmitted: false };
    const admit = () => {
      running.isAdmitted = true;
      resolve();
    };
    return this.#running.join(JSON.stringify(key), running, () => this.#process(submission, key, admit));
  }

  /** Whether the journal has the operation with this content. A refused entry does not count: any content may follow it. */
  async #isRecorded(key: EntryKey, contentHash: string): Promise<boolean> {
    const known = await this.#services.journal.find(key);
    return known !== undefined && known.state !== "refused" && known.contentHash === contentHash;
  }

  /** Calls `admit` as soon as no other content can get the key. */
  async #process(submission: Submission, key: EntryKey, admit: () => void): Promise<Submitted | Elsewhere> {
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const known = await this.#services.journal.find(key);
      if (known === undefined) return this.#attempt(submission, key, admit);
      if (known.state === "refused") {
        const corrected = await correctionOf(this.#services.journal, key);
        return corrected === undefined ? this.#attempt(submission, key, admit, known.checkpoint) : { kind: "refused", refusal: corrected };
      }
      if (known.contentHash !== submission.contentHash) return { kind: "content-differs" };
      admit();
      if (known.state === "done") return this.#answer(submission, known, true);
      const resumed = await this.#resumed(known);
      if (resumed.kind !== "entry") return resumed;
      const newAttemptDue = resumed.entry.state === "refused" && known.state !== "queued";
      if (!newAttemptDue) return this.#answer(submission, resumed.entry, false);
    }
    return { kind: "running" };
  }

  /** Continues an unfinished entry. It stays in its first lane, even when its point of sale has a new register. */
  async #resumed(known: Entry): Promise<{ kind: "entry"; entry: Entry } | Submitted | Elsewhere> {
    const { register } = known;
    await this.#services.held?.arrived?.(register);
    const held = await this.#services.held?.enter(register);
    if (this.#services.held !== undefined && held === undefined) return { kind: "elsewhere", register };
    const place = this.#lanes.enter(register, () => resumeOrDoubt(this.#services, known), known.key.accountId);
    if (place.kind === "full") return laneFull();
    const entry = await orTaken(held, place.result);
    if (entry === TAKEN) return { kind: "running" };
    return entry === FENCED || isLost(held, entry.state) ? { kind: "elsewhere", register } : { kind: "entry", entry };
  }

  async #attempt(submission: Submission, key: EntryKey, admit: () => void, earlier?: Checkpoint): Promise<Submitted | Elsewhere> {
    const plan = await planOperation(this.#services, submission, key);
    if (plan.kind !== "plan") return plan;
    const { content, held } = plan;
    const acceptance = Promise.withResolvers<Acceptance>();
    const place = this.#enterLane(plan, acceptance.promise, earlier);
    if (place.kind === "full") return laneFull();
    admit();
    acceptance.resolve(await this.#acceptWaiting(content, place.ahead));
    const turned = await orTaken(held, place.result);
    const { register } = content;
    if (turned === FENCED) return { kind: "elsewhere", register };
    if (turned === TAKEN) return { kind: "running" };
    const concluded = await this.#conclude(submission, turned);
    return isLost(held, concluded.kind) ? { kind: "elsewhere", register } : concluded;
  }

  /** Takes a place in the register's lane. The turn begins once it is known whether the operation was journalled. */
  #enterLane({ content, turn }: PlannedOperation, acceptance: Promise<Acceptance>, earlier: Checkpoint | undefined): Place<TurnResult> {
    const services = this.#services;
    let waited = false;
    const turned = async () => {
      const accepted = entryOf(await acceptance);
      const take = async (): Promise<TurnResult> => {
        const known = accepted && (await current(services, accepted));
        if (known !== undefined && known.state !== "queued") return { kind: "entry", entry: known };
        // Settings may have changed during the wait.
        const { device, rules } = waited ? await turnAt(services, content) : turn;
        return new Turn({ services, device, rules, content, known, reserved: known !== undefined, earlier }).take();
      };
      return accepted === undefined ? take() : this.#takeReserved(content, take);
    };
    const place = this.#lanes.enter(content.register, turned, content.key.accountId);
    waited = place.kind === "taken" && place.ahead > 0;
    return place;
  }

  /**
   * Runs the turn of an operation with a reserved refusal. The reservation is cancelled unless the turn wrote that refusal. A refusal
   * after sending has its own bound.
   */
  async #takeReserved(content: EntryContent, take: () => Promise<TurnResult>): Promise<TurnResult> {
    let usedUp = false;
    try {
      const result = await take();
      usedUp = result.kind !== "entry";
      return result;
    } finally {
      if (!usedUp) this.#services.refusals.giveBack(content);
    }
  }

  /**
   * Journals an operation that has to wait. With a free register, or after too many refusals of the account, the turn itself commits the
   * operation. If the process dies before that commit, the operation is lost, but it was neither sent nor answered.
   */
  async #acceptWaiting(content: EntryContent, ahead: number): Promise<Acceptance> {
    const { journal, refusals } = this.#services;
    if (ahead === 0 || !refusals.reserve(content)) return { kind: "not-needed" };
    try {
      return { kind: "accepted", entry: await journal.accept(content) };
    } catch (error) {
      refusals.giveBack(content);
      return { kind: "failed", error };
    }
  }

  async #conclude(submission: Submission, result: TurnResult): Promise<Submitted> {
    return result.kind === "entry" ? this.#answer(submission, result.entry, false) : result;
  }

  async #answer(submission: Submission, entry: Entry, replayed: boolean): Promise<Submitted> {
    switch (entry.state) {
      case "done":
        return { kind: "done", answer: await (replayed ? answerFor : newAnswer)(this.#services, entry, submission), replayed };
      case "refused":
        return { kind: "refused", refusal: entry.refusal ?? { code: "not-registered" } };
      case "in-doubt":
        return { kind: "in-doubt", doubt: entry.doubt ?? UNSTATED };
      default:
        return { kind: "running" };
    }
  }
}

interface RunningContent {
  contentHash: string;
  /** Resolves when `isAdmitted` has become true. */
  admitted: Promise<void>;
  /** Whether this content has the key. While true, any other content is refused. */
  isAdmitted: boolean;
}

/** Resolves when the work has ended in any way. */
function settled(work: Promise<unknown>): Promise<unknown> {
  return Promise.allSettled([work]);
}

/**
 * Whether the register went to another process during the work. Every result but `done` may then be out of date: the new holder must find
 * out the present result.
 */
function isLost(held: HeldRegister | undefined, ended: string): boolean {
  return held?.stands() === false && ended !== "done";
}

/** Another process may have the register. */
const FENCED = "fenced";
/** Another process has taken the same operation at another register, because the point of sale's setting was changed meanwhile. */
const TAKEN = "taken";

async function orTaken<T>(held: HeldRegister | undefined, turn: Promise<T>): Promise<T | typeof FENCED | typeof TAKEN> {
  try {
    return await turn;
  } catch (error) {
    // The register's new holder may have taken up the operation.
    if (isFenced(error) || (held?.stands() === false && isMoved(error))) return FENCED;
    if (held !== undefined && isMoved(error)) return TAKEN;
    throw error;
  }
}

/** Whether a waiting operation was journalled. A failure is stored here until the turn begins, because nothing awaits it before. */
type Acceptance = { kind: "not-needed" } | { kind: "accepted"; entry: Entry } | { kind: "failed"; error: unknown };

function entryOf(acceptance: Acceptance): Entry | undefined {
  if (acceptance.kind === "failed") throw acceptance.error;
  return acceptance.kind === "accepted" ? acceptance.entry : undefined;
}

function laneFull(): Submitted {
  return { kind: "refused", refusal: { code: "lane-full" } };
}

function keyOf({ appId, accountId, operation }: Submission): EntryKey {
  return { appId, accountId, operation: operation.kind, documentId: operation.document.id };
}
