import { type Chance, type Clock, pause } from "../../../kernel/clock.ts";
import { present } from "../../../kernel/present.ts";
import type { Account } from "../account/account.ts";
import { Refusal } from "../call/refusal.ts";
import type { Exchange } from "../caller/call.ts";
import { readErrors } from "../caller/fiscal-answer.ts";
import { isDone, type Quote, readCode, readQuote, wordsOfRefusal } from "../caller/loyalty/answer.ts";
import {
  agentOf,
  createBody,
  customerCodeBody,
  type LoyaltyCustomer,
  type LoyaltyLine,
  type LoyaltyPlace,
  recalcBody,
  returnBody,
  type SoldLoyaltyLine,
  saleBody,
  saleCodeBody,
} from "../caller/loyalty/bodies.ts";
import { quoteProblem } from "../caller/loyalty/checks.ts";
import type { LoyaltySettings } from "../caller/loyalty/settings.ts";
import { datetimeText } from "../values/datetime.ts";
import type { Json } from "../values/json.ts";
import type { Stored, Values } from "../values/stored.ts";
import { recordOf } from "./fiscal-record.ts";
import { documentLines, makeReturn, makeSale, storeCustomer, sumOf } from "./loyalty-document.ts";
import { keepLoyaltySale, type LoyaltyPay, type LoyaltySale } from "./loyalty-record.ts";
import { takeBack } from "./loyalty-returned.ts";
import { bodyOf, type LoyaltyStep, LoyaltySteps, StopFlow, type Stopped } from "./loyalty-steps.ts";
import { qrOperation } from "./qr-operation.ts";
import type { QrTills } from "./qr-tills.ts";
import { callOfTill, type TillDocumentParts } from "./till-document.ts";
import type { Tills } from "./tills.ts";

/** The programme's error for `create` if a code must first confirm the customer (platform-contracts 6.6). */
const NEEDS_CODE = 28_001;
const LOOK_EVERY_MS = 100;
/** The buyer's time to pay by QR. Afterwards the payment is cancelled. */
const QR_WINDOW_MS = 90_000;

interface LoyaltyTillParts extends TillDocumentParts {
  readonly account: Account;
  /** The URL and token of the programme. Undefined: the solution has not sent them, or may not be called. */
  readonly connection: () => LoyaltySettings | undefined;
  /** The name of the access key header. */
  readonly header: string;
  readonly tills: Tills;
  readonly qrTills: QrTills;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** The result of a flow. `stopped`: why the flow was not completed. */
export interface Flow<Done> {
  readonly done: Partial<Done>;
  readonly steps: readonly LoyaltyStep[];
  readonly stopped?: Stopped;
}

interface SaleWish {
  readonly store: Stored;
  readonly customer: LoyaltyCustomer | undefined;
  /** An agent outside the account. The programme gets it unchanged. */
  readonly foreignAgent: object | undefined;
  readonly lines: readonly LoyaltyLine[];
  /** Points to spend. Undefined: the sale only earns points. */
  readonly spend: number | "max" | undefined;
  readonly pay: LoyaltyPay;
}

/** The till's side of the loyalty contract (platform-contracts 6). Each public method runs a whole flow. */
export class LoyaltyTill {
  readonly #parts: LoyaltyTillParts;

  constructor(parts: LoyaltyTillParts) {
    this.#parts = parts;
  }

  /** Whether the solution has sent its programme's URL and may be called. */
  get isConnected(): boolean {
    return this.#parts.connection() !== undefined;
  }

  /**
   * Registers a buyer in the programme, then in the account. After the error `NEEDS_CODE`, the till asks for a code and calls `create`
   * again.
   */
  enrol(store: Stored, personal: Omit<LoyaltyCustomer, "id" | "syncId">): Promise<Flow<{ agent: object }>> {
    const { account, chance } = this.#parts;
    return this.#play(async (steps, done: { agent?: object }) => {
      const place = this.#place(store);
      const customer = { ...personal, syncId: chance.uuid() };
      const first = await steps.call("create", createBody(place, customer, "UNCHECKED"));
      if (!isDone(first)) {
        if (!wantsCode(first)) throw new StopFlow(46000, `the programme did not take the buyer: ${wordsOfRefusal(first)}`);
        codeIn(await steps.call("customer-code", customerCodeBody(place, customer)));
        // A real buyer would now say the received code.
        const checked = await steps.call("create", createBody(place, customer, "CHECKED"));
        if (!isDone(checked)) throw new StopFlow(46000, `the programme did not take the confirmed buyer: ${wordsOfRefusal(checked)}`);
      }
      const stored = await account.commit(
        () => account.attempt(() => storeCustomer(customer, store, this.#parts)),
        callOfTill(store, this.#parts),
      );
      done.agent = agentOf(place, { ...customer, id: stored.id });
    });
  }

  sell(wish: SaleWish): Promise<Flow<{ saleId: string; recalc: Json }>> {
    return this.#play(async (steps, done: { saleId?: string; recalc?: Json }) => {
      const { store, customer, pay } = wish;
      const place = this.#place(store);
      const agent = wish.foreignAgent ?? (customer === undefined ? undefined : agentOf(place, customer));
      const quote = await this.#quote(steps, wish, agent, done);
      if (quote.needVerification && customer !== undefined) codeIn(await steps.call("sale-code", saleCodeBody(place, customer)));
      const lines = linesOf(wish.lines, quote);
      const operationId = pay === "qr" ? await this.#payByQr(steps, store, lines) : undefined;
      const sale: Omit<LoyaltySale, "id"> = {
        ...{ retailStoreId: store.id, pay, customer, lines, operationId, returned: lines.map(() => 0) },
        ...{ bonusValueToSpend: quote.spend, bonusValueToEarn: quote.earn },
      };
      const document = await this.#document(steps, store, () => {
        const made = makeSale({ store, lines, customer, pay }, this.#parts);
        keepLoyaltySale(this.#parts.account, { ...sale, id: made.id });
        return made;
      });
      done.saleId = document.id;
      await this.#registered(steps, "retaildemand", document, store);
      const bonus = agent === undefined ? {} : { bonus: { spend: quote.spend, earn: quote.earn } };
      await steps.tell("sale", saleBody(place, { ...orderOf(document, lines, pay), ...present({ agent }), ...bonus }));
    });
  }

  /** Makes a return of a sale's goods: the named positions, or everything left. */
  giveBack(
    sale: LoyaltySale,
    named: readonly { assortmentId: string; quantityThousandths: number }[] | undefined,
  ): Promise<Flow<{ returnId: string }>> {
    const { account } = this.#parts;
    return this.#play(async (steps, done: { returnId?: string }) => {
      const store = account.objects.get("retailstore", sale.retailStoreId);
      const demand = account.objects.get("retaildemand", sale.id);
      if (store === undefined || demand === undefined) throw new StopFlow(1021, "the sale or its point of sale is not there any more");
      const { lines, returned } = takeBack(sale, named);
      if (sale.operationId !== undefined) await this.#refund(steps, sale.operationId, lines);
      const document = await this.#document(steps, store, () => {
        const made = makeReturn(demand, { store, lines, pay: sale.pay }, this.#parts);
        keepLoyaltySale(account, { ...sale, returned });
        return made;
      });
      done.returnId = document.id;
      await this.#registered(steps, "retaisalesreturn", document, store);
      const { id = "", syncId = "" } = sale.customer ?? {};
      // The agent of a return has no meta (platform-contracts 6.3).
      const agent =
        sale.customer === undefined ? {} : { href: `${this.#place(store).api}/entity/counterparty/${id}`, id: id === "" ? syncId : id };
      await steps.tell("return", returnBody(this.#place(store), { ...orderOf(document, lines, sale.pay), agent, demandId: sale.id }));
    });
  }

  async #play<Done>(work: (steps: LoyaltySteps, done: Partial<Done>) => Promise<void>): Promise<Flow<Done>> {
    const { connection, header, clock } = this.#parts;
    const settings = connection();
    if (settings === undefined)
      return { done: {}, steps: [], stopped: { code: 46000, words: "the solution has told no loyalty programme" } };
    const steps = new LoyaltySteps(settings, header, clock);
    const done: Partial<Done> = {};
    try {
      await work(steps, done);
      return { done, steps: steps.all };
    } catch (error) {
      if (error instanceof StopFlow) return { done, steps: steps.all, stopped: error.stopped };
      if (!(error instanceof Refusal)) throw error;
      const [first] = error.errors;
      return { done, steps: steps.all, stopped: { code: first?.code ?? 46002, words: `no document: ${error.message}` } };
    }
  }

  async #quote(steps: LoyaltySteps, wish: SaleWish, agent: object | undefined, done: { recalc?: Json }): Promise<Quote> {
    const { store, lines, spend, customer, foreignAgent } = wish;
    if (customer !== undefined && foreignAgent === undefined && customer.syncId === undefined)
      throw new StopFlow(46001, "the customer has no sync id");
    const transactionType = spend === undefined ? "EARNING" : "SPENDING";
    const asked = { lines, transactionType, ...present({ agent, wantedPoints: typeof spend === "number" ? spend : undefined }) } as const;
    const exchange = await steps.call("recalc", recalcBody(this.#place(store), asked));
    const read = readQuote(exchange);
    const body = exchange.kind === "answer" ? bodyOf(exchange.body) : undefined;
    if (body !== undefined) done.recalc = body;
    if (read.kind === "failed")
      throw new StopFlow(
        read.answered ? 46002 : 46000,
        `${read.answered ? "the receipt cannot be calculated" : "the external programme failed"}: ${read.problem}`,
      );
    const problem = quoteProblem(lines, read.value, agent !== undefined);
    if (problem !== undefined) throw new StopFlow(problem.code, problem.words);
    return read.value;
  }

  /** Runs a QR payment to its end. Returns its operation id if the buyer has paid. Otherwise stops the flow. */
  async #payByQr(steps: LoyaltySteps, store: Stored, lines: readonly SoldLoyaltyLine[]): Promise<string> {
    const { account, qrTills, clock } = this.#parts;
    const startedMs = clock.monotonicMs();
    const begun = await qrTills.begin({ retailStoreId: store.id, positions: documentLines(lines, store, this.#parts), sale: false });
    if (!("operationId" in begun)) throw new StopFlow(18000, `no QR payment: ${begun.problem}`);
    const { operationId } = begun;
    for (;;) {
      const operation = qrOperation(account, operationId);
      const ms = Math.round(clock.monotonicMs() - startedMs);
      if (operation?.step === "ended") {
        steps.note({ call: "qr", status: null, ms, body: { operationId, status: operation.status } });
        if (operation.status === "DONE") return operationId;
        throw new StopFlow(18000, `the QR payment ended ${operation.status}`);
      }
      if (ms > QR_WINDOW_MS) {
        await qrTills.cancel(operationId, {});
        throw new StopFlow(18000, "the buyer did not pay by QR in time");
      }
      await pause(clock, LOOK_EVERY_MS);
    }
  }

  /** Refunds these lines through the sale's QR payment. */
  async #refund(steps: LoyaltySteps, operationId: string, lines: readonly SoldLoyaltyLine[]): Promise<void> {
    const called = await this.#parts.qrTills.cancel(operationId, { amount: sumOf(lines) });
    if (called === undefined || called === "not-installed") throw new StopFlow(19003, "the QR payment cannot be given back");
    const { status, body, ms, problem } = called;
    steps.note({ call: "qr-cancel", status, body: body as Json, ms, ...present({ problem }) });
    if (status !== 200) throw new StopFlow(19003, `the QR payment was not given back: ${status ?? problem}`);
  }

  /** Makes the document and everything else that `make` stores, in one commit. */
  async #document(steps: LoyaltySteps, store: Stored, make: () => Stored): Promise<Stored> {
    const { account, clock } = this.#parts;
    const startedMs = clock.monotonicMs();
    const made = await account.commit(() => account.attempt(make), callOfTill(store, this.#parts));
    const { name, sum } = made.values;
    const body = { id: made.id, type: made.type, name, sum } as Json;
    steps.note({ call: "document", status: null, ms: Math.round(clock.monotonicMs() - startedMs), body });
    return made;
  }

  /** Waits until the tills have sent the document and, before it, the opening of a new shift. Stops the flow if there is no receipt. */
  async #registered(steps: LoyaltySteps, operation: "retaildemand" | "retaisalesreturn", document: Stored, store: Stored): Promise<void> {
    const { account, tills, clock } = this.#parts;
    const startedMs = clock.monotonicMs();
    await tills.settled(store.id);
    const { state = "not-sent", told } = recordOf(account, operation, document.id)?.values ?? {};
    const status = state === "registered" ? 200 : Number((told as Values | undefined)?.status ?? 0);
    const body = { state, ...(told as Values | undefined) } as Json;
    steps.note({
      call: `fiscal ${operation}`,
      status: status === 0 ? null : status,
      ms: Math.round(clock.monotonicMs() - startedMs),
      body,
    });
    if (state !== "registered") throw new StopFlow(46002, `the document was not registered: ${String(state)}`);
  }

  #place(store: Stored): LoyaltyPlace {
    return { api: `${this.#parts.base()}/api/remap/1.2`, storeId: store.id };
  }
}

function wantsCode(exchange: Exchange): boolean {
  return exchange.kind === "answer" && exchange.status === 412 && readErrors(exchange.body)[0]?.code === NEEDS_CODE;
}

/** Returns the code. A real till compares it with the code that the buyer says. */
function codeIn(exchange: Exchange): string {
  const read = readCode(exchange);
  if (read.kind === "read") return read.value;
  throw new StopFlow(46000, `no code was sent: ${read.problem}`);
}

/** Returns the answered positions, with the goods' type from the request. */
function linesOf(asked: readonly LoyaltyLine[], { lines }: Quote): SoldLoyaltyLine[] {
  return lines.map(({ serials, ...line }) => {
    const type = asked.find(({ assortmentId }) => assortmentId === line.assortmentId)?.type;
    return { ...line, ...present({ type, serials }) };
  });
}

function orderOf({ id, values }: Stored, lines: readonly SoldLoyaltyLine[], pay: LoyaltyPay) {
  const sum = sumOf(lines);
  const money = pay === "cash" ? { cashKopecks: sum, noCashKopecks: 0 } : { cashKopecks: 0, noCashKopecks: sum };
  return { id, name: String(values.name), moment: datetimeText(Number(values.moment)), lines, ...money };
}
