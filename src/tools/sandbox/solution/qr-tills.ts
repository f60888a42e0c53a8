import { type Chance, type Clock, pause } from "../../../kernel/clock.ts";
import type { Log } from "../../../kernel/log.ts";
import { present } from "../../../kernel/present.ts";
import type { Account } from "../account/account.ts";
import { Refusal } from "../call/refusal.ts";
import { type Exchange, send } from "../caller/call.ts";
import { type QrAnswer, readQrCreated, readQrState } from "../caller/qr-answer.ts";
import { type QrBody, type QrCallName, qrCall } from "../caller/qr-call.ts";
import type { Value } from "../values/stored.ts";
import type { QrKeys } from "./qr-keys.ts";
import { keepQrCall, keepQrOperation, type QrCallRecord, type QrOperation, qrOperation, qrOperations } from "./qr-operation.ts";
import { basketOf, makeQrSale } from "./qr-sale.ts";
import { callOfTill, type TillDocumentParts } from "./till-document.ts";

/** Each till polls once a second (platform-contracts 5.5). */
const POLL_MS = 1_000;
/** A code lives an hour at most (payments surface 3, qrExpiryMinutes). Five more minutes let the till learn the payment's end. */
const POLL_WINDOW_MS = 65 * 60_000;
/** Time for repeats of an unanswered `create`. A restart of the solution takes less. */
const CREATE_WINDOW_MS = 60_000;
/** After this many answers to `create` with unknown outcome, the till calls `state` instead. */
const MAX_UNCLEAR = 3;
/** The maximum number of simultaneous payments. A shop has fewer tills. Each payment sends a request every second. */
const MAX_BUSY = 1_000;
/** Of an answer longer than `MAX_BODY_BYTES` only the first `MAX_TEXT_BYTES` are kept. */
const MAX_BODY_BYTES = 16 * 1024;
const MAX_TEXT_BYTES = 1_000;

interface QrTillsParts extends TillDocumentParts {
  readonly account: Account;
  /** The base URL of the solution's server. */
  readonly target: string;
  readonly keys: QrKeys;
  /** Whether the solution may be called: SettingsRequired or Activated. */
  readonly mayCall: () => boolean;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}

export interface QrWish {
  /** Undefined: the first point of sale. */
  readonly retailStoreId?: string;
  readonly amount?: number;
  readonly positions?: readonly unknown[];
  readonly sale: boolean;
}

type Begun = { readonly operationId: string } | { readonly problem: "no-store" | "not-installed" | "busy" };

/**
 * The account's QR payments. A till calls `create`, then `state` each second until the payment ends. A DONE payment of a sale makes the
 * document. Every step is stored before the next step, so a till continues after a restart.
 */
export class QrTills {
  readonly #parts: QrTillsParts;
  /** Resolves after the installation at the start, successful or not. */
  readonly #ready: Promise<unknown>;
  readonly #closing = new AbortController();
  /** Ids of the payments in progress in this process. */
  readonly #followed = new Set<string>();

  constructor(parts: QrTillsParts, ready: Promise<unknown>) {
    this.#parts = parts;
    this.#ready = ready;
  }

  /** Continues an earlier process's unfinished payments. */
  resume(): void {
    for (const { id, step } of qrOperations(this.#parts.account)) if (step !== "ended") this.#start(id);
  }

  /**
   * Begins a payment. Resolves with its id when the payment is stored, or with the reason why it cannot begin. Rejects with a `Refusal` for
   * invalid lines.
   */
  async begin({ retailStoreId, amount, positions, sale }: QrWish): Promise<Begun> {
    const { account, mayCall, clock, chance } = this.#parts;
    const stores = account.objects.all("retailstore");
    const store = retailStoreId === undefined ? [...stores.values()][0] : stores.get(retailStoreId);
    if (store === undefined) return { problem: "no-store" };
    if (!mayCall()) return { problem: "not-installed" };
    if (this.#followed.size >= MAX_BUSY) return { problem: "busy" };
    // The id must not come from the seed: a solution can outlive an account in memory, and would mistake a new payment for an old payment.
    const id = chance.uuid();
    await account.commit(() => {
      const basket = basketOf(present({ amount, positions }), store, this.#parts);
      const begun = { step: "creating", status: "IN_PROGRESS", told: [], begunMs: clock.nowMs(), unclear: 0, calls: 0 } as const;
      keepQrOperation(account, { id, retailStoreId: store.id, sale, ...basket, ...begun });
    });
    this.#start(id);
    return { operationId: id };
  }

  /**
   * Sends `cancel` once, at any step. `named` replaces values in the body. Resolves with undefined when there is no such operation, with
   * `not-installed` when the solution may not be called.
   */
  async cancel(id: string, named: { amount?: unknown; retailStoreId?: unknown }): Promise<QrCallRecord | "not-installed" | undefined> {
    const operation = qrOperation(this.#parts.account, id);
    if (operation === undefined) return undefined;
    if (!this.#parts.mayCall()) return "not-installed";
    const { record } = await this.#call("cancel", operation, named);
    await this.#keep(id, {}, record);
    return record;
  }

  /** Stops all payments. The next start continues them. */
  close(): void {
    this.#closing.abort();
  }

  /** Does nothing for a payment in progress: `begin` may have started it before `resume` runs. */
  #start(id: string): void {
    if (this.#followed.has(id)) return;
    this.#followed.add(id);
    this.#follow(id)
      .catch((error: unknown) => this.#parts.log.error({ err: error, operation: id }, "a QR payment failed inside the sandbox"))
      .finally(() => this.#followed.delete(id));
  }

  async #follow(id: string): Promise<void> {
    const { account, clock } = this.#parts;
    await this.#ready;
    for (;;) {
      const operation = qrOperation(account, id);
      if (this.#closing.signal.aborted || operation === undefined || operation.step === "ended") return;
      const startedMs = clock.monotonicMs();
      await this.#step(operation);
      if (!isAsking(qrOperation(account, id))) continue;
      await pause(clock, Math.max(0, startedMs + POLL_MS - clock.monotonicMs()), this.#closing.signal);
    }
  }

  /**
   * Sends one call if the solution may be called, or makes the document. After `POLL_WINDOW_MS` the till sends a last call and gives up.
   */
  async #step(operation: QrOperation): Promise<void> {
    const { account, clock, mayCall } = this.#parts;
    const { id, step, begunMs } = operation;
    if (step === "selling") return this.#sell(operation);
    if (mayCall()) await (step === "creating" ? this.#create(operation) : this.#poll(operation));
    const isLate = clock.nowMs() > begunMs + POLL_WINDOW_MS;
    if (isLate && isAsking(qrOperation(account, id))) await this.#keep(id, { step: "ended", problem: "the end was not told in time" });
  }

  async #create(operation: QrOperation): Promise<void> {
    const { record, exchange } = await this.#call("create", operation);
    const answer = readQrCreated(exchange);
    await this.#keep(operation.id, this.#afterCreate(operation, answer), record);
  }

  #afterCreate({ begunMs, unclear }: QrOperation, answer: QrAnswer): Partial<QrOperation> {
    switch (answer.kind) {
      case "data":
        return { step: "polling", data: answer.data };
      case "unknown": {
        const isLong = this.#parts.clock.nowMs() > begunMs + CREATE_WINDOW_MS;
        const after = answer.answered ? unclear + 1 : unclear;
        return { unclear: after, step: isLong || after >= MAX_UNCLEAR ? "polling" : "creating" };
      }
      case "refused":
        return refusedBy(answer.problem);
      case "status":
        return {};
    }
  }

  async #poll(operation: QrOperation): Promise<void> {
    const { record, exchange } = await this.#call("state", operation);
    await this.#keep(operation.id, afterState(operation, readQrState(exchange)), record);
  }

  async #sell({ id, retailStoreId }: QrOperation): Promise<void> {
    const { account, log } = this.#parts;
    const cause = callOfTill(account.objects.get("retailstore", retailStoreId), this.#parts);
    await account.commit(() => {
      const operation = qrOperation(account, id);
      if (operation === undefined) return;
      try {
        keepQrOperation(account, { ...operation, step: "ended", saleId: account.attempt(() => makeQrSale(operation, this.#parts)) });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        log.warn({ operation: id, errors: error.errors }, "a paid QR sale has got no document");
        keepQrOperation(account, { ...operation, step: "ended", problem: `no document: ${error.message}` });
      }
    }, cause);
  }

  async #call(
    name: QrCallName,
    operation: QrOperation,
    named: Partial<QrBody> = {},
  ): Promise<{ record: QrCallRecord; exchange: Exchange }> {
    const { account, keys, target, clock } = this.#parts;
    const { id: operationId, amount, retailStoreId } = operation;
    // A current key always exists, so there is always a token and the empty text is never sent.
    const token = (await keys.token()) ?? "";
    const body = { amount, operationId, accountId: account.id, retailStoreId, ...named };
    const exchange = await send(target, qrCall(name, body, token), clock);
    return { record: recordOf(name, exchange), exchange };
  }

  /** Stores the changes and the call in one commit. The operation is read again, because a cancel may have changed it. */
  async #keep(id: string, changes: Partial<QrOperation>, record?: QrCallRecord): Promise<void> {
    const { account } = this.#parts;
    // While the sandbox closes, an answer is dropped. The next start asks again.
    if (this.#closing.signal.aborted) return;
    await account.commit(() => {
      const operation = qrOperation(account, id);
      if (operation === undefined) return;
      const changed = { ...operation, ...changes };
      if (record === undefined) keepQrOperation(account, changed);
      else keepQrCall(account, changed, record);
    });
  }
}

function isAsking(operation: QrOperation | undefined): boolean {
  return operation?.step === "creating" || operation?.step === "polling";
}

function afterState({ told, sale }: QrOperation, answer: QrAnswer): Partial<QrOperation> {
  if (answer.kind === "refused" && answer.status === 404) return refusedBy(answer.problem);
  // After anything else (no answer, 5xx, an unreachable bank, a key unknown to the solution) the till asks again.
  if (answer.kind !== "status") return {};
  const { status } = answer;
  const step = status === "IN_PROGRESS" ? "polling" : status === "DONE" && sale ? "selling" : "ended";
  return { status, step, told: told.at(-1) === status ? told : [...told, status] };
}

function refusedBy(problem: string): Partial<QrOperation> {
  return { step: "ended", status: "REFUSED", problem };
}

function recordOf(call: QrCallName, exchange: Exchange): QrCallRecord {
  const ms = Math.round(exchange.elapsedMs);
  if (exchange.kind === "no-answer") return { call, status: null, body: null, ms, problem: exchange.reason };
  return { call, status: exchange.status, body: bodyOf(exchange.body), ms };
}

function bodyOf(bytes: Buffer): Value {
  if (bytes.length > MAX_BODY_BYTES) return bytes.toString("utf8", 0, MAX_TEXT_BYTES);
  const text = bytes.toString("utf8");
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
