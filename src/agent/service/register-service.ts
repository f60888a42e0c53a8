import type { Clock } from "../../kernel/clock.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import type { RegisterDocument } from "../../model/document.ts";
import { unreachable } from "../../model/unreachable.ts";
import { readDocument } from "../../registers/agent/wire/frames-schema.ts";
import { NEEDS } from "../../registers/agent/wire/protocol.ts";
import type { Outcome, Reached, Recalled, RegisterState } from "../../registers/register.ts";
import type { AttemptRecord, StoredAttempt } from "../record.ts";
import type { InnerRegister } from "./inner-register.ts";
import { type CallOf, failed, type RegisterCall, type Result, resultOf, type Steps } from "./result.ts";
import { StateWatch } from "./state-watch.ts";

interface Around {
  clock: Clock;
  log: Log;
  record: AttemptRecord;
  seen(state: Reached<RegisterState>): void;
  /** Called when the record was removed or replaced. */
  gone(failure: Failure): void;
}

const RESTARTED = "агент кассы был перезапущен во время печати";

/**
 * Answers the calls of one register. One call at a time uses the device. Meanwhile another call that needs the device fails with `busy`.
 * Steps of a document: `perform` arrives; a known attempt is answered from the record; a document that the register cannot make is refused;
 * the intent is stored; `accepted` is sent; the driver begins the document and waits for the server's `go`; the driver sends the
 * registering command; the outcome is stored; the answer is sent. After a kill at any step the record shows how far the attempt came: the
 * record contains nothing, the intent or the end of the attempt.
 */
export class RegisterService {
  readonly #name: string;
  readonly #inner: InnerRegister;
  readonly #around: Around;
  readonly #watch: StateWatch;
  #performing: string | undefined;
  #running: Promise<unknown> | undefined;
  #fence: number;

  constructor(name: string, inner: InnerRegister, around: Around) {
    this.#name = name;
    this.#inner = inner;
    this.#around = around;
    this.#fence = around.record.fenceOf(name);
    const failed = (error: unknown) => around.log.error({ register: name, err: error }, "the driver has failed");
    this.#watch = new StateWatch(around.clock, () => inner.glance(), { changed: around.seen, failed });
  }

  /** Starts reporting the state: first the current state, after a short delay, and then each change. */
  connected(): void {
    this.#watch.start();
  }

  disconnected(): void {
    this.#watch.stop();
  }

  get state(): Reached<RegisterState> | undefined {
    return this.#watch.last;
  }

  async call(call: RegisterCall, deadline: Deadline, steps: Steps): Promise<Result> {
    try {
      const behind = this.#fenced(call.fence);
      if (behind !== undefined) return behind;
      switch (call.do) {
        case "recall":
          return this.#recall(call.attempt);
        case "settled":
          this.#around.record.settle(this.#name, call.attempts);
          return resultOf({ unsettled: this.#around.record.unsettled(this.#name) });
        case "perform":
          return this.#known(call) ?? (await this.#inTurn(() => this.#perform(call, deadline, steps)));
        default:
          return await this.#inTurn(() => this.#ask(call, deadline));
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code === "folder-gone") this.#around.gone(error);
      if (error.code !== "folder-gone" && error.code !== "record-failed") throw error;
      this.#around.log.error({ register: this.#name, call: call.do, reason: error.message }, "the record could not be written");
      return failed("record-failed", error.message);
    }
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Closes the register. A failed close is only logged, because the end of the process releases the locks. */
  async close(): Promise<void> {
    this.#watch.stop();
    await this.#watch.idle();
    try {
      await this.#inner.close();
    } catch (error) {
      this.#around.log.warn({ register: this.#name, err: error }, "the register could not be closed");
    }
  }

  /** Refuses a call whose fencing token is lower than the highest token so far. Stores a higher token. */
  #fenced(fence: number): Result | undefined {
    if (fence < this.#fence) return failed("fenced", `the register ${this.#name} was given to a holder with token ${this.#fence}`);
    if (fence > this.#fence) {
      this.#around.record.storeFence(this.#name, fence);
      this.#fence = fence;
    }
    return undefined;
  }

  #recall(attempt: string): Result {
    const { record } = this.#around;
    const found = record.find(attempt);
    if (found === undefined && record.mayLackAttempts) return resultOf({ kind: "unknown" } satisfies Recalled);
    // An attempt that is not in the record is stored as void before the answer. So a `perform` that arrives after the recall of its attempt
    // prints nothing.
    return resultOf(this.#recalled(attempt, found ?? record.forbid(attempt, this.#name)));
  }

  #recalled(attempt: string, found: StoredAttempt | undefined): Recalled {
    if (found === undefined || found.state === "void") return { kind: "never" };
    if (found.outcome !== undefined) return { kind: "outcome", outcome: found.outcome };
    return { kind: attempt === this.#performing ? "running" : "unknown" };
  }

  /** Returns the answer for an attempt that is already in the record. Undefined: the attempt is not in the record. */
  #known(call: CallOf<"perform">): Result | undefined {
    const found = this.#around.record.find(call.attempt);
    return found === undefined ? undefined : this.#answerOf(found, call);
  }

  #answerOf(found: StoredAttempt, { attempt, hash, register }: CallOf<"perform">): Result {
    if (found.state === "void") return failed("void", `the attempt ${attempt} was given up`);
    if (found.hash !== hash || found.register !== register) return failed("attempt-differs", `the attempt ${attempt} had another document`);
    if (found.outcome !== undefined) return resultOf(found.outcome);
    if (attempt === this.#performing) return failed("busy", `the attempt ${attempt} is being made`);
    return resultOf({ kind: "in-doubt", doubt: { code: "no-answer", reason: RESTARTED } } satisfies Outcome);
  }

  async #inTurn(work: () => Promise<Result>): Promise<Result> {
    if (this.#running !== undefined) return failed("busy", `another call of the register ${this.#name} is running`);
    const running = this.#watch.apart(work);
    this.#running = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  async #ask(call: Exclude<RegisterCall, { do: "perform" | "recall" | "settled" }>, deadline: Deadline): Promise<Result> {
    switch (call.do) {
      case "identity":
        return resultOf(await this.#inner.identity(deadline));
      case "inspect": {
        const state = await this.#inner.inspect(deadline);
        this.#watch.told(state);
        return resultOf(state);
      }
      case "abandon":
        return resultOf(await this.#inner.abandon(deadline));
      case "lookUp":
        return resultOf(await this.#inner.lookUp(call.number, deadline));
      case "examine":
        return resultOf(await this.#inner.examine(call, deadline));
    }
  }

  async #perform(call: CallOf<"perform">, deadline: Deadline, steps: Steps): Promise<Result> {
    const { attempt, hash, register, needs } = call;
    const unknownNeed = needs.find((need) => !NEEDS.some((known) => known === need));
    if (unknownNeed !== undefined) return failed("agent-too-old", `the document needs "${unknownNeed}"`);
    const document = readDocument(call.document);
    if (document === undefined) return failed("agent-too-old", "the document has a part that this version does not know");
    const refusal = await this.#inner.refusalOf(document, deadline);
    if (refusal !== undefined) {
      const outcome: Outcome = { kind: "refused", refusal };
      const known = this.#around.record.refuse({ attempt, hash, register }, outcome);
      return known === undefined ? resultOf(outcome) : this.#answerOf(known, call);
    }
    // While the identity was read, a recall may have stored the attempt as void. Then `begin` returns the stored attempt.
    const known = this.#around.record.begin({ attempt, hash, register });
    if (known !== undefined) return this.#answerOf(known, call);
    this.#performing = attempt;
    try {
      steps.accepted();
      return await this.#register(attempt, document, deadline, steps);
    } finally {
      this.#performing = undefined;
    }
  }

  async #register(attempt: string, document: RegisterDocument, deadline: Deadline, steps: Steps): Promise<Result> {
    const permission = { asked: false, given: false, over: false };
    const mayRegister = async () => {
      permission.asked = true;
      const isGiven = await steps.go();
      // A driver may ask for the permission too late, after it has returned its outcome. Then nothing may be printed.
      if (!permission.over) permission.given = isGiven;
      return isGiven && !permission.over;
    };
    const outcome = await this.#outcomeOf(() => this.#inner.perform(document, deadline, { id: attempt, mayRegister }), permission);
    permission.over = true;
    const { record, log } = this.#around;
    try {
      const isCancelled = outcome.kind === "refused" ? permission.asked : outcome.kind === "in-doubt";
      if (isCancelled && !permission.given) {
        record.cancel(attempt);
        return failed("no-go", "the permission to register did not come");
      }
      record.finish(attempt, outcome);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // The record still has the intent, so a later recall will answer `unknown`, and the server will ask the device. This answer must also
      // say that the outcome is in doubt.
      log.error({ register: this.#name, attempt, reason: error.message }, "the outcome of an attempt could not be stored");
      if (error.code === "folder-gone") this.#around.gone(error);
      return resultOf({ kind: "in-doubt", doubt: { code: "not-committed" } } satisfies Outcome);
    }
    log.info({ register: this.#name, attempt, document: document.kind, outcome: outcome.kind }, "a document was performed");
    return resultOf(outcome);
  }

  /**
   * Returns an outcome even when the driver throws. If the permission was given, the outcome is then `in-doubt`. Without the permission the
   * document was not registered, so the outcome is `refused`.
   */
  async #outcomeOf(perform: () => Promise<Outcome>, permission: { given: boolean }): Promise<Outcome> {
    try {
      return await perform();
    } catch (error) {
      this.#around.log.error({ register: this.#name, err: error }, "the driver has failed");
      if (permission.given) return { kind: "in-doubt", doubt: { code: "driver-failed" } };
      return { kind: "refused", refusal: unreachable(messageOf(error)) };
    }
  }
}
