import { pause } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { send } from "../../sandbox/caller/call.ts";
import { type QrAnswer, type QrStatus, readQrCreated, readQrErrors, readQrState } from "../../sandbox/caller/qr-answer.ts";
import { type QrCallName, qrCall } from "../../sandbox/caller/qr-call.ts";
import { makeQrToken } from "../../sandbox/caller/qr-token.ts";
import type { Cast, QrParts } from "../cast.ts";
import type { Kill } from "../kill-plan.ts";
import type { QrPayment, QrStep } from "../qr-step.ts";
import type { Answer } from "../stage.ts";

/** A till is assumed to poll once a second (platform-contracts 5.5). */
const POLL_MS = 1_000;
/**
 * The longest time of repeats. After a kill, another server may ask the bank only after ten seconds, and a refund takes the bank two
 * seconds.
 */
const REPEAT_LIMIT_MS = 120_000;
const TOKEN_LIFE_S = 60;
const TOO_MUCH = { status: 412, code: 1004 };
const SHOWN_CHARACTERS = 60;

interface QrStepResult {
  elapsedMs: number;
  note: string;
}

/**
 * The till of the demo for QR payments. A call with an unknown outcome is repeated with a new token, because a token is valid only once.
 */
export class QrTill {
  readonly #cast: Cast;
  readonly #parts: QrParts;
  /** The operations for which `create` was sent. The bank must have exactly one payment for each. */
  readonly #begun = new Set<string>();

  constructor(cast: Cast, parts: QrParts) {
    this.#cast = cast;
    this.#parts = parts;
  }

  async play(step: QrStep, kills: readonly Kill[]): Promise<QrStepResult> {
    switch (step.does) {
      case "create":
        return this.#create(step.payment, kills);
      case "pay":
        return this.#pay(step.payment, kills);
      case "cancel":
        return this.#cancel(step.payment, kills);
      case "refund":
        return this.#refund(step.payment, kills);
      case "refund-too-much":
        return this.#refundTooMuch(step.payment, kills);
    }
  }

  async #create(payment: QrPayment, kills: readonly Kill[]): Promise<QrStepResult> {
    this.#begun.add(payment.operationId);
    const { elapsedMs, read } = await this.#known("create", payment, kills, readQrCreated);
    if (read.kind !== "data") throw wrong(wordsOf(read));
    const sum = /[?&]sum=(\d+)/.exec(read.data)?.[1];
    if (sum !== undefined && Number(sum) !== payment.amount) throw wrong(`the code asks for ${sum} kopecks: ${read.data}`);
    return { elapsedMs, note: read.data.length > SHOWN_CHARACTERS ? `${read.data.slice(0, SHOWN_CHARACTERS)}…` : read.data };
  }

  async #pay(payment: QrPayment, kills: readonly Kill[]): Promise<QrStepResult> {
    const { bank } = this.#parts;
    if (bank !== undefined) await bank.pay(payment.amount);
    const told = await this.#untilEnd(payment, kills);
    if (told.status !== "DONE") throw wrong(`the payment ended ${told.status}`);
    return { elapsedMs: told.elapsedMs, note: `${bank === undefined ? "" : "the buyer pays at the bank, "}${told.words}` };
  }

  async #cancel(payment: QrPayment, kills: readonly Kill[]): Promise<QrStepResult> {
    const { elapsedMs } = await this.#taken(payment, kills);
    const told = await this.#untilEnd(payment, []);
    if (told.status !== "REJECTED") throw wrong(`a payment that was cancelled ended ${told.status}`);
    return { elapsedMs, note: told.words };
  }

  async #refund(payment: QrPayment, kills: readonly Kill[]): Promise<QrStepResult> {
    const { elapsedMs } = await this.#taken(payment, kills);
    const told = await this.#untilEnd(payment, []);
    if (told.status !== "DONE") throw wrong(`DONE was taken back, state is ${told.status}`);
    return { elapsedMs, note: `${told.words} stays${await this.#refundedAtBank(payment)}` };
  }

  async #refundTooMuch(payment: QrPayment, kills: readonly Kill[]): Promise<QrStepResult> {
    const { answer, elapsedMs } = await this.#known("cancel", payment, kills, readTaken);
    const [error] = readQrErrors(answer.body);
    if (answer.status !== TOO_MUCH.status || error?.code !== TOO_MUCH.code)
      throw wrong(`answered ${answer.status} ${excerpt(answer)}, where ${TOO_MUCH.status} with code ${TOO_MUCH.code} is due`);
    const { bank } = this.#parts;
    const atBank = bank === undefined ? this.#begun.size : await bank.count();
    if (atBank !== this.#begun.size) throw wrong(`the bank has ${atBank} payments for ${this.#begun.size} operations`);
    return { elapsedMs, note: `refused, ${error.code}: ${error.errorMessage ?? error.error}` };
  }

  /**
   * Expects that a fake bank refunded the amount exactly once. Returns words about the refund. Empty for the simulated acquirer, which
   * shows no payments.
   */
  async #refundedAtBank({ amount }: QrPayment): Promise<string> {
    const { bank } = this.#parts;
    if (bank === undefined) return "";
    const { clock } = this.#cast;
    const endMs = clock.monotonicMs() + REPEAT_LIMIT_MS;
    for (;;) {
      const { refunded, refundAttempts } = await bank.payment(amount);
      if (refunded === amount && refundAttempts === 1) return ", the bank gave it back once";
      if (refunded > amount || refundAttempts > 1 || clock.monotonicMs() > endMs)
        throw wrong(`the bank has given ${refunded} of ${amount} kopecks back, in ${refundAttempts} attempts`);
      await pause(clock, POLL_MS);
    }
  }

  /** Sends the call `cancel`, which cancels or refunds the payment. Throws when the answer is not 200. */
  async #taken(payment: QrPayment, kills: readonly Kill[]): Promise<{ elapsedMs: number }> {
    const { read, elapsedMs } = await this.#known("cancel", payment, kills, readTaken);
    if (read !== "taken") throw wrong(wordsOf(read));
    return { elapsedMs };
  }

  async #untilEnd(payment: QrPayment, kills: readonly Kill[]): Promise<{ status: QrStatus; words: string; elapsedMs: number }> {
    const { clock } = this.#cast;
    const startedMs = clock.monotonicMs();
    let left = kills;
    for (let waits = 0; ; waits += 1) {
      const { read } = await this.#known("state", payment, left, readQrState);
      left = [];
      if (read.kind !== "status") throw wrong(wordsOf(read));
      const elapsedMs = clock.monotonicMs() - startedMs;
      const words = waits === 0 ? read.status : `IN_PROGRESS ×${waits}, then ${read.status}`;
      if (read.status !== "IN_PROGRESS") return { status: read.status, words, elapsedMs };
      if (elapsedMs > REPEAT_LIMIT_MS) throw wrong(`the payment is still IN_PROGRESS after ${Math.round(elapsedMs / 1000)} s`);
      await pause(clock, POLL_MS);
    }
  }

  async #known<Read extends QrAnswer | "taken">(
    name: QrCallName,
    payment: QrPayment,
    kills: readonly Kill[],
    reader: (answer: Answer) => Read,
  ): Promise<{ answer: Answer; read: Read; elapsedMs: number }> {
    const { clock, note, signal } = this.#cast;
    const startedMs = clock.monotonicMs();
    let left = kills;
    for (;;) {
      const answer = await this.#ask(name, payment, left);
      left = [];
      const read = reader(answer);
      const elapsedMs = clock.monotonicMs() - startedMs;
      if (read === "taken" || read.kind !== "unknown") return { answer, read, elapsedMs: answer.elapsedMs };
      if (elapsedMs > REPEAT_LIMIT_MS || signal.aborted) throw wrong(`${name}: ${read.problem}, after ${Math.round(elapsedMs / 1000)} s`);
      note(`${name} answered ${read.problem}`);
      await pause(clock, POLL_MS, signal);
    }
  }

  #ask(name: QrCallName, payment: QrPayment, kills: readonly Kill[]): Promise<Answer> {
    const { stage, installation, till } = this.#cast;
    const body = { ...payment, accountId: installation.accountId, retailStoreId: till.storeId };
    // The first argument is never sent, because each attempt needs a new token. The stage uses only its path.
    return stage.ask(
      qrCall(name, body, ""),
      (base, _, clock) => send(base, qrCall(name, body, this.#token()), clock),
      kills,
      ({ status }) => status === 200 && name !== "state",
    );
  }

  #token(): string {
    const { solution, clock, chance } = this.#cast;
    return makeQrToken(this.#parts.key, { issuer: solution.names.qrIssuer, lifeS: TOKEN_LIFE_S, clock, chance });
  }
}

/** Reads the answer to `cancel`. The status 200 is enough, because the contract defines no members (platform-contracts 5.3). */
function readTaken(answer: Answer): QrAnswer | "taken" {
  return answer.status === 200 ? "taken" : readQrState(answer);
}

function wordsOf(read: QrAnswer | "taken"): string {
  return typeof read === "object" && "problem" in read ? `answered ${read.problem}` : "answered something else than was asked for";
}

function excerpt({ body }: Answer): string {
  return body.toString("utf8").slice(0, 300);
}

function wrong(reason: string): Failure {
  return new Failure("wrong-answer", "fault", reason);
}
