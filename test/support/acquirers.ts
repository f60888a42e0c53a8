import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import type { Acquirer, AcquirerAccount, AcquirerServices, PaymentOrder, RefundOrder } from "../../src/acquirers/acquirer.ts";
import { parseAcquirer } from "../../src/acquirers/catalogue.ts";
import { nextTurn, systemChance } from "../../src/kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../src/kernel/deadline.ts";
import { type BankDouble, type Happening, TbankDouble, YookassaDouble } from "./acquirer-doubles.ts";
import { BankServer } from "./bank-server.ts";
import { VirtualClock } from "./virtual-clock.ts";

const START_MS = Date.UTC(2026, 10, 13, 6);
const MINUTE_MS = 60_000;
export const PAYMENT_ID = "9b6f0e52-2c1d-4f7e-8a35-6d0f4f3a1c77";

interface BenchKind {
  setting: string;
  double?: (clock: VirtualClock) => BankDouble;
}

const KINDS = {
  simulated: { setting: "simulated" },
  yookassa: { setting: "yookassa?shopId=100500&secretKey=test_key", double: (clock) => new YookassaDouble(() => clock.nowMs()) },
  tbank: { setting: "tbank?terminalKey=DemoTerm01&password=s3cret-demo", double: () => new TbankDouble() },
} as const satisfies Record<string, BenchKind>;

export type BenchName = keyof typeof KINDS;
export const BENCHES = Object.keys(KINDS) as BenchName[];
export const NETWORKED = BENCHES.filter((name) => name !== "simulated");

/** One acquirer with its bank: a double over HTTP, or the simulated one in a folder. Time is virtual. */
export class AcquirerBench {
  readonly name: BenchName;
  readonly clock = new VirtualClock(START_MS);
  readonly folder = mkdtempSync(join(tmpdir(), "acquirer-"));
  readonly account: AcquirerAccount;
  readonly acquirer: Acquirer;
  readonly double: BankDouble | undefined;
  readonly server: BankServer;
  readonly observed: string[] = [];

  private constructor(name: BenchName, server: BankServer, double: BankDouble | undefined, clock: VirtualClock, setting: string) {
    this.name = name;
    this.clock = clock;
    this.server = server;
    this.double = double;
    const parsed = parseAcquirer(setting);
    if (parsed.kind === "invalid") throw new Error(parsed.problem);
    this.account = parsed.account;
    this.acquirer = this.account.open(this.services());
  }

  static async open(name: BenchName, setting: string = KINDS[name].setting): Promise<AcquirerBench> {
    const clock = new VirtualClock(START_MS);
    const kind: BenchKind = KINDS[name];
    const double = kind.double?.(clock);
    const server = new BankServer((asked) => (asked.path === "/warm-up" ? { status: 200, body: {} } : (double?.answer(asked) ?? never())));
    await server.open();
    // The first request of the HTTP client takes longer, because the client prepares itself. No virtual time may pass
    // for this.
    await (await request(`${server.url}/warm-up`)).body.dump();
    server.requests.length = 0;
    return new AcquirerBench(name, server, double, clock, setting);
  }

  services(): AcquirerServices {
    const { clock, folder } = this;
    const addresses = { yookassa: this.server.url, tbank: this.server.url };
    const observe: AcquirerServices["observe"] = (call, outcome) => void this.observed.push(`${call} ${outcome}`);
    return { clock, chance: systemChance, dataDir: folder, addresses, observe };
  }

  order(changes: Partial<PaymentOrder> = {}): PaymentOrder {
    return {
      paymentId: PAYMENT_ID,
      amountKopecks: 25_920,
      expiresAtMs: START_MS + 10 * MINUTE_MS,
      description: "Receipt 00031",
      storeId: "store-1",
      ...changes,
    };
  }

  refundOrder(bankId: string, changes: Partial<RefundOrder> = {}): RefundOrder {
    return {
      paymentId: PAYMENT_ID,
      bankId,
      number: 1,
      amountKopecks: 25_920,
      paidKopecks: 25_920,
      refundedBeforeKopecks: 0,
      ...changes,
    };
  }

  deadline(delayMs = 5_000): Deadline {
    return deadlineIn(this.clock, delayMs);
  }

  /** Waits for a call, and moves the time whenever the bank has no request to answer. */
  async settled<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const ended = work.finally(() => {
      isDone = true;
    });
    for (let turn = 1; !isDone; turn += 1) {
      await nextTurn();
      if (turn % TURNS_A_STEP === 0 && this.server.running === 0) await this.clock.advance(STEP_MS);
    }
    return ended;
  }

  /** Creates the payment of an order and returns its id at the bank. */
  async created(changes: Partial<PaymentOrder> = {}): Promise<string> {
    const made = await this.settled(this.acquirer.create(this.order(changes), this.deadline()));
    if (made.kind !== "created") throw new Error(`create answered ${JSON.stringify(made)}`);
    return made.bankId;
  }

  /** Creates a payment and lets this happen to it. */
  async createdAnd(what: Happening): Promise<string> {
    const lastDigits = { paid: 20, declined: 1, expired: 2 };
    const bankId = await this.created(this.double === undefined ? { amountKopecks: 25_900 + lastDigits[what] } : {});
    this.double?.happen(bankId, what);
    if (this.double === undefined) await this.clock.advance(what === "expired" ? 10 * MINUTE_MS : 1_000);
    return bankId;
  }

  async close(): Promise<void> {
    await this.acquirer.close();
    await this.server.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** Turns of the event loop between two steps of time. A request or an answer passes through this process in far fewer. */
const TURNS_A_STEP = 20;
const STEP_MS = 100;

function never(): never {
  throw new Error("the simulated acquirer has called a bank");
}
