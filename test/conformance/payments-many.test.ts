import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AcquirerAccount, AcquirerKind, BankPayment } from "../../src/acquirers/acquirer.ts";
import { nextTurn, pause } from "../../src/kernel/clock.ts";
import { refreshStepMs } from "../../src/payments/refresh-times.ts";
import { extent } from "../support/extent.ts";
import { PaymentBench, START_MS } from "../support/payment-bench.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** The number of payments. `npm run bench -- --only open-payments.` follows a thousand in a server that sells. */
const PAYMENTS = extent({ short: 24, long: 300 });
const MINUTES = extent({ short: 2, long: 4 });
const LIMIT_MS = extent({ short: 120_000, long: 600_000 });
/** Four payments of an account need no more calls than its limit, even with the shortest step. */
const PAYMENTS_OF_AN_ACCOUNT = 4;
const MINUTE_MS = 60_000;
const ANSWER_MS = 300;
const LOOK_MS = 250;
const STEP_MS = 50;
/** The turns of the event loop between two steps of the clock, and the turns that each payment's turn adds. */
const IDLE_TURNS = 10;
const TURNS_OF_ONE = 4;
/**
 * The allowed delay of a reading. Payments that were made at the same moment are due at the same moment, and 256 of
 * them are read at once.
 */
const MARGIN_MS = 1_500;
/** The largest number of calls of an account in a second: five at once, and five more each second. */
const MOST_IN_A_SECOND = 10;

describe("many open payments in one process", () => {
  let bench: PaymentBench;
  let bank: CountingBank;

  beforeEach(async () => {
    const clock = new VirtualClock(START_MS);
    bank = new CountingBank(clock);
    bench = await PaymentBench.open({ clock, kinds: [bank.kind], setting: "counting?shop=0" });
  });

  afterEach(() => bench.close());

  it(
    "are each read within their step, below what each account allows, and leave nothing behind",
    async () => {
      for (let number = 0; number < PAYMENTS; number += 1) {
        bench.settings = {
          ...bench.settings,
          qrExpiryMinutes: 60,
          acquirer: `counting?shop=${Math.floor(number / PAYMENTS_OF_AN_ACCOUNT)}`,
        };
        expect(await bench.create({ operationId: `operation-${number}` })).toMatchObject({ kind: "created" });
      }
      await follow(bench, MINUTES * MINUTE_MS);
      expect(bank.latestMs).toBeLessThanOrEqual(MARGIN_MS);
      expect(bank.overdue(MARGIN_MS)).toBe(0);
      expect(bank.mostInASecond).toBeLessThanOrEqual(MOST_IN_A_SECOND);
      await bench.settled(bench.turns.idle());
      expect(bench.turns.size).toBe(0);
      expect(await leases(bench)).toBe(0);
      expect(bench.alerts()).toEqual([]);
    },
    LIMIT_MS,
  );
});

/**
 * Looks as often as a server does, while turns run. Between two steps of the clock, running turns get as much time as they need: their
 * commits come one after another, and if the clock went on meanwhile, readings would seem late.
 */
async function follow(bench: PaymentBench, forMs: number): Promise<void> {
  let moreAreDue = false;
  for (let atMs = 0; atMs < forMs; atMs += STEP_MS) {
    if (moreAreDue || atMs % LOOK_MS === 0) moreAreDue = await bench.follower.look();
    for (let round = 0; round < IDLE_TURNS + bench.turns.size * TURNS_OF_ONE; round += 1) await nextTurn();
    await bench.clock.advance(STEP_MS);
  }
}

async function leases(bench: PaymentBench): Promise<number> {
  const rows = await bench.store.read((db) => db.selectFrom("leases").select("name").where("holder", "!=", "").execute());
  return rows.length;
}

/** A bank at which nobody pays. Notes how late each reading comes, and how often each account calls. */
class CountingBank {
  latestMs = 0;
  mostInASecond = 0;
  readonly #clock: VirtualClock;
  readonly #payments = new Map<string, { payment: BankPayment; createdAtMs: number; readAtMs: number }>();
  readonly #calls = new Map<string, number[]>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  get kind(): AcquirerKind {
    return {
      name: "counting",
      form: "counting?shop=…",
      fields: [],
      idOfNoPayment: "0",
      simulated: true,
      parse: (setting) => ({ kind: "account", account: this.#account(setting) }),
      readNotification: () => ({ kind: "not-genuine", reason: "none" }),
      answerTo: () => ({ status: 200, body: "" }),
    };
  }

  overdue(marginMs: number): number {
    return [...this.#payments.values()].filter((each) => this.#clock.nowMs() > dueMs(each) + marginMs).length;
  }

  #account(merchant: string): AcquirerAccount {
    return {
      acquirer: "counting",
      merchant,
      shown: "counting",
      secrets: [],
      capabilities: {
        leastKopecks: 1,
        mostKopecks: 100_000_000,
        expiry: { kind: "chosen", leastMs: MINUTE_MS, mostMs: 60 * MINUTE_MS },
        cancelBeforePayment: true,
        partialRefund: true,
        leastRefundKopecks: 1,
        refundIdempotent: true,
      },
      open: () => ({
        create: async ({ paymentId, amountKopecks }) => {
          const payment: BankPayment = { bankId: paymentId, status: "waiting", rawStatus: "waiting", amountKopecks };
          this.#payments.set(paymentId, { payment, createdAtMs: this.#clock.nowMs(), readAtMs: this.#clock.nowMs() });
          return { kind: "created", bankId: paymentId, qrText: `https://qr.nspk.ru/X?sum=${amountKopecks}` };
        },
        read: async (bankId) => {
          this.#count(merchant);
          const found = this.#payments.get(bankId);
          if (found === undefined) return { kind: "unknown", problem: "not there" };
          this.latestMs = Math.max(this.latestMs, this.#clock.nowMs() - dueMs(found));
          await pause(this.#clock, ANSWER_MS);
          found.readAtMs = this.#clock.nowMs();
          return { kind: "payment", payment: found.payment };
        },
        find: async () => ({ kind: "none" }),
        cancel: async () => ({ kind: "accepted" }),
        refund: async () => ({ kind: "done" }),
        readRefund: async () => ({ kind: "done" }),
        close: async () => {},
      }),
    };
  }

  #count(merchant: string): void {
    const nowMs = this.#clock.nowMs();
    const calls = [...(this.#calls.get(merchant) ?? []).filter((atMs) => nowMs - atMs < 1_000), nowMs];
    this.#calls.set(merchant, calls);
    this.mostInASecond = Math.max(this.mostInASecond, calls.length);
  }
}

function dueMs({ createdAtMs, readAtMs }: { createdAtMs: number; readAtMs: number }): number {
  return readAtMs + refreshStepMs(readAtMs - createdAtMs);
}
