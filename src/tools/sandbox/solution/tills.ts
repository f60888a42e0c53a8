import { type Clock, pause } from "../../../kernel/clock.ts";
import type { Log } from "../../../kernel/log.ts";
import { present } from "../../../kernel/present.ts";
import type { Account, CommittedChange } from "../account/account.ts";
import type { Call, Exchange } from "../caller/call.ts";
import { readErrors, readFiscalAnswer } from "../caller/fiscal-answer.ts";
import { RUNNING_RETRIES, sendFiscalCall, signedCall } from "../caller/fiscal-call.ts";
import type { FiscalOperation } from "../caller/fiscal-operation.ts";
import type { Installation, Solution } from "../caller/installation.ts";
import { datetimeText, readDatetime } from "../values/datetime.ts";
import type { Stored, Value, Values } from "../values/stored.ts";
import { type FiscalState, keepRecord, recordOf } from "./fiscal-record.ts";
import { pointOfSaleOf, tillBody } from "./till-body.ts";

/** The types that a till sends on creation, with their operations. */
const CREATED: Readonly<Record<string, FiscalOperation>> = {
  retailshift: "openshift",
  retaildemand: "retaildemand",
  retailsalesreturn: "retaisalesreturn",
  retaildrawercashin: "retaildrawercashin",
  retaildrawercashout: "retaildrawercashout",
};

/** The code of a refusal that leaves unknown whether the document is registered. A new document must not replace the refused document. */
const IN_DOUBT = 50004;

interface TillsParts {
  readonly account: Account;
  readonly solution: Solution;
  /** The base URL of the solution's server. */
  readonly target: string;
  /** Returns the installation if tills may use it. Undefined: nothing is sent. */
  readonly installation: () => Installation | undefined;
  /** `{base}/api/remap/1.2`. */
  readonly api: () => string;
  readonly moneyScale: 1 | 100;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The account's tills. They send each new document immediately, one request at a time for each point of sale, and store the answer beside
 * the document. After a kill, the next start repeats the interrupted request with the same bytes.
 */
export class Tills {
  readonly #parts: TillsParts;
  readonly #queues = new Map<string, Promise<void>>();
  #closed = false;

  /** Resolves after the installation at the start, successful or not. Earlier requests would be refused. */
  #ready: Promise<unknown>;

  constructor(parts: TillsParts, ready: Promise<unknown>) {
    this.#parts = parts;
    this.#ready = ready;
    parts.account.witness((changes) => this.#see(changes));
  }

  /**
   * Continues an earlier process's unfinished requests, and sends documents that have no record. Leaves out documents older than `sinceMs`.
   */
  resume(sinceMs: number): void {
    const { account } = this.#parts;
    for (const type of Object.keys(CREATED)) {
      for (const document of account.objects.all(type).values()) {
        if (Number(document.values.created) < sinceMs) continue;
        for (const operation of operationsOf(undefined, document)) {
          const record = recordOf(account, operation, document.id);
          const isNew = record === undefined || isOfEarlierClosing(operation, document, record.values.body);
          if (isNew || record.values.state === "sending") this.#queue(operation, document);
        }
      }
    }
  }

  /**
   * Sends a document again if it has a record whose state is neither `sending` nor `registered`. An earlier request is repeated unchanged.
   * Returns whether the document was put into the queue.
   */
  again(operation: FiscalOperation, documentType: string, documentId: string): boolean {
    const { account } = this.#parts;
    const document = account.objects.get(documentType, documentId);
    const state = recordOf(account, operation, documentId)?.values.state;
    if (document === undefined || state === undefined || state === "sending" || state === "registered") return false;
    this.#queue(operation, document);
    return true;
  }

  /** Resolves when every waiting request of this point of sale has an outcome. */
  async settled(storeId: string): Promise<void> {
    await this.#queues.get(storeId);
  }

  /** Stops sending. The next start continues unfinished requests. */
  close(): void {
    this.#closed = true;
  }

  #see(changes: readonly CommittedChange[]): void {
    for (const { before, after } of changes) {
      for (const operation of after === undefined ? [] : operationsOf(before, after)) {
        // A document with a record was posted before, so it is not sent again. A shift may be reopened, so each closing is sent.
        const sent =
          before !== undefined && operation !== "closeshift" && recordOf(this.#parts.account, operation, before.id) !== undefined;
        if (after !== undefined && !sent) this.#queue(operation, after);
      }
    }
  }

  #queue(operation: FiscalOperation, document: Stored): void {
    const { account, log } = this.#parts;
    if (this.#closed) return;
    const store = pointOfSaleOf(document, account)?.id ?? "";
    const earlier = this.#queues.get(store) ?? Promise.resolve();
    const mine = earlier
      .then(() => this.#send(operation, document))
      .catch((error: unknown) => log.error({ err: error, operation, document: document.id }, "a till's request failed inside the sandbox"));
    this.#queues.set(store, mine);
    void mine.then(() => {
      if (this.#queues.get(store) === mine) this.#queues.delete(store);
    });
  }

  async #send(operation: FiscalOperation, document: Stored): Promise<void> {
    const { account, solution, installation } = this.#parts;
    await this.#ready;
    if (this.#closed) return;
    const installed = installation();
    const earlier = recordOf(account, operation, document.id)?.values.body;
    if (installed === undefined) {
      const told = { reason: "the solution is not installed, or suspended" };
      await account.commit(() => keepRecord(account, operation, document, { state: "not-sent", told, ...present({ body: earlier }) }));
      return;
    }
    const isRepeat = typeof earlier === "string" && !isOfEarlierClosing(operation, document, earlier);
    const body = isRepeat ? earlier : JSON.stringify(tillBody(operation, document, { ...this.#parts, api: this.#parts.api() }));
    await account.commit(() => keepRecord(account, operation, document, { state: "sending", body }));
    const exchange = await this.#exchange(signedCall(operation, Buffer.from(body), solution, installed));
    if (exchange === undefined) return;
    const outcome = outcomeOf(operation, exchange);
    if (outcome.state !== "registered")
      this.#parts.log.warn({ operation, name: document.values.name, ...outcome.told }, "a till's request was not registered");
    await account.commit(() => this.#keep(operation, document, { body, ...outcome }));
  }

  /**
   * Sends the request and repeats it for a minute while there is no answer. `sendFiscalCall` repeats the request while the answer says that
   * it is in progress. Repeats are safe, because the document's id is the key. Undefined: the sandbox is closing.
   */
  async #exchange(call: Call): Promise<Exchange | undefined> {
    const { target, clock } = this.#parts;
    const untilMs = clock.monotonicMs() + RUNNING_RETRIES.windowMs;
    for (;;) {
      const windowMs = untilMs - clock.monotonicMs();
      const exchange = await sendFiscalCall(target, call, clock, { ...RUNNING_RETRIES, windowMs });
      if (this.#closed) return undefined;
      if (exchange.kind === "answer" || clock.monotonicMs() + RUNNING_RETRIES.intervalMs > untilMs) return exchange;
      await pause(clock, RUNNING_RETRIES.intervalMs);
    }
  }

  /** Stores the record, and fills the document's `cheque` like the platform. */
  #keep(operation: FiscalOperation, document: Stored, { body, state, told, pdf, cheque }: Outcome & { body: string }): void {
    const { account } = this.#parts;
    keepRecord(account, operation, document, { state, body, told, ...present({ pdf }) });
    const current = account.objects.get(document.type, document.id);
    if (cheque === undefined || current === undefined || !HAS_CHEQUE.has(document.type)) return;
    const held = (current.values.cheque ?? {}) as Values;
    const after = operation === "openshift" ? { ...held, start: cheque } : operation === "closeshift" ? { ...held, end: cheque } : cheque;
    account.put({ ...current, values: { ...current.values, cheque: after } });
  }
}

const HAS_CHEQUE = new Set(["retailshift", "retaildemand"]);

/**
 * Returns the operations for a change of a document: its creation or posting, and the closing of a shift. An unposted document has none.
 */
function operationsOf(before: Stored | undefined, after: Stored): FiscalOperation[] {
  const created = CREATED[after.type];
  if (created === undefined || after.values.applicable === false) return [];
  const posted = before === undefined || before.values.applicable === false;
  const operations: FiscalOperation[] = posted ? [created] : [];
  const closes = after.type === "retailshift" && after.values.closeDate !== undefined && before?.values.closeDate === undefined;
  return closes ? [...operations, "closeshift"] : operations;
}

/**
 * Whether the body was sent for another closing of the shift. A shift that was opened again and closed again has another moment of closing.
 * An open shift has no moment, so its last closing may be repeated.
 */
function isOfEarlierClosing(operation: FiscalOperation, { values }: Stored, body: Value | undefined): boolean {
  if (operation !== "closeshift" || values.closeDate === undefined || typeof body !== "string") return false;
  return (JSON.parse(body) as Values).closeMoment !== datetimeText(Number(values.closeDate));
}

interface Outcome {
  readonly state: FiscalState;
  /** The answer or the errors, for display. */
  readonly told: Values;
  /** The receipt in Base64. */
  readonly pdf?: string;
  readonly cheque?: Values;
}

function outcomeOf(operation: FiscalOperation, exchange: Exchange): Outcome {
  if (exchange.kind === "no-answer") return { state: "unanswered", told: { reason: exchange.reason } };
  if (exchange.status !== 200) {
    const errors = readErrors(exchange.body).map(({ error, code, message, parameter }) => ({
      error,
      code,
      error_message: message,
      ...present({ parameter }),
    }));
    const isUnknown = errors.some(({ code }) => code === IN_DOUBT);
    return { state: isUnknown ? "in-doubt" : "refused", told: { status: exchange.status, errors } };
  }
  const read = readFiscalAnswer(operation, exchange.body);
  if (read.kind === "wrong") return { state: "refused", told: { status: 200, reason: read.problem } };
  const { pdf, ...cheque } = read.answer;
  const time = readDatetime(cheque.time);
  return { state: "registered", told: cheque, pdf: pdf.toString("base64"), cheque: { ...cheque, ...present({ time }) } };
}
