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

/** Platform-contracts 5.5: each register polls once a second. */
const POLL_MS = 1_000;
/** A code lives an hour at most (payments surface 3, qrExpiryMinutes). The till polls five minutes longer, to be told that it ended. */
const POLL_WINDOW_MS = 65 * 60_000;
/** How long create is repeated while there is no answer. A restart of the solution takes less. */
const CREATE_WINDOW_MS = 60_000;
/** After this many answers to create with an unknown outcome, the till asks for the state instead. */
const MAX_UNCLEAR = 3;
/** The largest number of payments at the same time. A shop has fewer tills. Each payment sends a request every second. */
const MAX_BUSY = 1_000;
/** The longest answer that is kept whole. Of a longer answer only the beginning is kept. */
const MAX_BODY_BYTES = 16 * 1024;
const MAX_TEXT_BYTES = 1_000;

interface QrTillsParts extends TillDocumentParts {
  readonly account: Account;
  /** Base of the solution's server. */
  readonly target: string;
  readonly keys: QrKeys;
  /** Whether the solution may be called: SettingsRequired or Activated. */
  readonly mayCall: () => boolean;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}

/** A tester's request for a QR payment. */
export interface QrWish {
  /** Undefined: the first point of sale. */
  readonly retailStoreId?: string;
  readonly amount?: number;
  readonly positions?: readonly unknown[];
  readonly sale: boolean;
}

type Begun = { readonly operationId: string } | { readonly problem: "no-store" | "not-installed" | "busy" };

/**
 * The QR payments at the tills of the account. A till sends create, then a state call each second until the payment ends. When the payment
 * of a sale is DONE, the till makes the document. Every step is stored before the next step, so a till continues after a restart.
 */
export class QrTills {
  readonly #parts: QrTillsParts;
  /** Resolves after the first installation has succeeded or failed. */
  readonly #ready: Promise<unknown>;
  readonly #closing = new AbortController();
  /** Ids of the payments that this process carries on. */
  readonly #followed = new Set<string>();

  constructor(parts: QrTillsParts, ready: Promise<unknown>) {
    this.#parts = parts;
    this.#ready = ready;
  }

  /** Continues the payments that an earlier process did not end. */
  resume(): void {
    for (const { id, step } of qrOperations(this.#parts.account)) if (step !== "ended") this.#start(id);
  }

  /** Begins a payment. Resolves with its id after it is stored. Rejects with a `Refusal` for lines that no sale may have. */
  async begin({ retailStoreId, amount, positions, sale }: QrWish): Promise<Begun> {
    const { account, mayCall, clock, chance } = this.#parts;
    const stores = account.objects.all("retailstore");
    const store = retailStoreId === undefined ? [...stores.values()][0] : stores.get(retailStoreId);
    if (store === undefined) return { problem: "no-store" };
    if (!mayCall()) return { problem: "not-installed" };
    if (this.#followed.size >= MAX_BUSY) return { problem: "busy" };
    // The id does not come from the seed. A solution can outlive an account in memory, and it must not take a new payment for an old one.
    const id = chance.uuid();
    await account.commit(() => {
      const basket = basketOf(present({ amount, positions }), store, this.#parts);
      const begun = { step: "creating", status: "IN_PROGRESS", told: [], begunMs: clock.nowMs(), unclear: 0, calls: 0 } as const;
      keepQrOperation(account, { id, retailStoreId: store.id, sale, ...basket, ...begun });
    });
    this.#start(id);
    return { operationId: id };
  }

  /** Sends cancel once, at any step of the till. `named` replaces values of the operation. Undefined: there is no such operation. */
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

  /** Does nothing for a payment that is carried on already: `begin` may have started it before `resume` runs. */
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

  /** Sends one call, or makes the document. After `POLL_WINDOW_MS` a till sends one more call and then gives up. */
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

  /** Sends one call with a new token. */
  async #call(
    name: QrCallName,
    operation: QrOperation,
    named: Partial<QrBody> = {},
  ): Promise<{ record: QrCallRecord; exchange: Exchange }> {
    const { account, keys, target, clock } = this.#parts;
    const { id: operationId, amount, retailStoreId } = operation;
    // There is always a current key, so there is always a token.
    const token = (await keys.token()) ?? "";
    const body = { amount, operationId, accountId: account.id, retailStoreId, ...named };
    const exchange = await send(target, qrCall(name, body, token), clock);
    return { record: recordOf(name, exchange), exchange };
  }

  /** Stores the changes and their call in one commit. The operation is read anew, because a cancel may have changed it meanwhile. */
  async #keep(id: string, changes: Partial<QrOperation>, record?: QrCallRecord): Promise<void> {
    const { account } = this.#parts;
    // An answer that arrives while the sandbox ends is dropped. The next start asks again.
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
  // No answer, 5xx, a bank out of reach, a key that is not known yet: the till asks again.
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

/** Returns a JSON body as a value, and any other body as text. */
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
