import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILT_IN_SETTINGS, type StoreSettings } from "../../src/accounts/settings-schema.ts";
import type { AcquirerKind } from "../../src/acquirers/acquirer.ts";
import { ACQUIRERS } from "../../src/acquirers/catalogue.ts";
import { type Chance, nextTurn, systemChance } from "../../src/kernel/clock.ts";
import type { Clients } from "../../src/payments/clients.ts";
import { paymentsNamed } from "../../src/payments/finding/found-payments.ts";
import type { Follower } from "../../src/payments/follower.ts";
import type { BankNotifications } from "../../src/payments/notifications.ts";
import { paymentWithRefunds, type StoredPayment } from "../../src/payments/payment-with-refunds.ts";
import type { Payments } from "../../src/payments/payments.ts";
import type { PaymentSales } from "../../src/payments/sales.ts";
import type { PaymentServices } from "../../src/payments/services.ts";
import type { TillCall } from "../../src/payments/till/till-call.ts";
import type { Turns } from "../../src/payments/turns/turns.ts";
import type { Store } from "../../src/store/database.ts";
import { openMemoryStore } from "./memory-store.ts";
import { ACCOUNT, APP, paymentProcess } from "./payment-process.ts";
import { VirtualClock } from "./virtual-clock.ts";

export const START_MS = Date.parse("2026-03-02T09:00:00Z");
export { ACCOUNT };
export const STORE = "22222222-0000-4000-8000-000000000001";

interface BenchOptions {
  setting?: string;
  settings?: Partial<StoreSettings>;
  kinds?: readonly AcquirerKind[];
  store?: Store;
  clock?: VirtualClock;
  chance?: Chance;
  dataDir?: string;
  /** The addresses of the banks. */
  addresses?: Record<string, string>;
  /** The step of `follow` after its first minute. */
  laterStepMs?: number;
}

/** One process with its payments, without HTTP, on a clock that the test moves. */
export class PaymentBench {
  readonly dataDir: string;
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly services: PaymentServices;
  readonly payments: Payments;
  readonly turns: Turns;
  readonly clients: Clients;
  readonly follower: Follower;
  readonly sales: PaymentSales;
  readonly notifications: BankNotifications;
  readonly lines: { level: string; text: string; values: Record<string, unknown> }[] = [];
  readonly ended: string[] = [];
  settings: StoreSettings;
  active = true;
  #tokens = 0;
  readonly #laterStepMs: number;

  static async open(options: BenchOptions = {}): Promise<PaymentBench> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "payments-"));
    const store = options.store ?? (await openMemoryStore());
    return new PaymentBench(options, store, dataDir);
  }

  private constructor(options: BenchOptions, store: Store, dataDir: string) {
    this.dataDir = dataDir;
    this.#laterStepMs = options.laterStepMs ?? FOLLOW_STEP_MS;
    const { kinds = ACQUIRERS, chance = systemChance } = options;
    const clock = options.clock ?? new VirtualClock(START_MS);
    this.clock = clock;
    this.store = store;
    this.settings = { ...BUILT_IN_SETTINGS, acquirer: options.setting ?? "simulated", ...options.settings };
    const write = (level: string) => (values: Record<string, unknown>, text: string) => void this.lines.push({ level, text, values });
    const log = { trace: write("trace"), debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
    const process = paymentProcess({
      store,
      clock,
      chance,
      log,
      kinds,
      dataDir,
      settingsOf: () => this.settings,
      isActive: () => this.active,
      ended: (outcome) => void this.ended.push(outcome),
      ...(options.addresses === undefined ? {} : { addresses: options.addresses }),
    });
    this.services = process.services;
    this.clients = process.clients;
    this.turns = process.turns;
    this.payments = process.payments;
    this.follower = process.follower;
    this.sales = process.sales;
    this.notifications = process.notifications;
  }

  call(changes: Partial<TillCall> = {}): TillCall {
    this.#tokens += 1;
    const token = {
      issuer: "https://platform.example",
      id: `${this.services.chance.uuid()}-${this.#tokens}`,
      expiresAtMs: this.clock.nowMs() + 60_000,
    };
    return { token, accountId: ACCOUNT, storeId: STORE, operationId: "operation-1", amountKopecks: 25_920, ...changes };
  }

  create(changes: Partial<TillCall> = {}) {
    return this.settled(this.payments.create(this.call(changes)));
  }

  state(changes: Partial<TillCall> = {}) {
    return this.settled(this.payments.state(this.call(changes)));
  }

  cancel(changes: Partial<TillCall> = {}) {
    return this.settled(this.payments.cancel(this.call(changes)));
  }

  /** Lets the clock run until the work has ended. */
  async settled<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const mark = () => {
      done = true;
    };
    // A failure is handled by the caller, who has the promise too.
    void work.then(mark, mark);
    // Most work needs no time. Only work that waits for a bank does.
    for (let round = 0; round < MAX_ROUNDS && !done; round += 1) {
      for (let turn = 0; turn < TURNS_A_ROUND && !done; turn += 1) await nextTurn();
      if (!done) await this.clock.advance(STEP_MS);
    }
    return work;
  }

  /** Lets the follower work for so long. */
  async follow(forMs: number): Promise<void> {
    for (let atMs = 0; atMs < forMs; ) {
      await this.#lookAtAllDue();
      const stepMs = Math.min(atMs < FOLLOWED_CLOSELY_MS ? FOLLOW_STEP_MS : this.#laterStepMs, forMs - atMs);
      await this.clock.advance(stepMs);
      atMs += stepMs;
    }
    await this.#lookAtAllDue();
  }

  async #lookAtAllDue(): Promise<void> {
    for (let moreAreDue = true; moreAreDue; ) {
      moreAreDue = await this.follower.look();
      await this.settled(this.turns.idle());
    }
  }

  /** The stored row of the operation's newest attempt. */
  async stored(operationId = "operation-1"): Promise<StoredPayment> {
    const [row] = await paymentsNamed(this.store, operationId, 1);
    const stored = row === undefined ? undefined : await this.store.read((db) => paymentWithRefunds(db, row.id));
    if (stored === undefined) throw new Error(`no payment ${operationId}`);
    return stored;
  }

  /**
   * Adds a sale to the journal that was registered at this moment. With `state` it is refused at first, and `repeat` registers it later.
   * Returns the number of its entry.
   */
  async sell({ qrKopecks, storeId = STORE, state = "done" }: { qrKopecks: number; storeId?: string; state?: string }): Promise<number> {
    this.#tokens += 1;
    const nowMs = this.clock.nowMs();
    const row = await this.store.commit((tx) =>
      tx
        .insertInto("entries")
        .values({
          app_id: APP,
          account_id: ACCOUNT,
          operation: "sale",
          document_id: `sale-${this.#tokens}`,
          id_type: "native",
          store_id: storeId,
          register: "emulator:one",
          state,
          attempt: 1,
          content_hash: "",
          twin: "",
          paper: "80",
          accepted_at_ms: nowMs,
          moved_at_ms: nowMs,
          content: "{}",
          document: "{}",
          checkpoint: "{}",
          facts: state === "done" ? "{}" : null,
          refusal: state === "done" ? null : "{}",
          doubt: null,
          drive_number: null,
          shift_number: null,
          original_id: null,
          qr_kopecks: qrKopecks,
        })
        .returning("id")
        .executeTakeFirstOrThrow(),
    );
    return row.id;
  }

  /** Makes a sale that was refused before. It keeps its entry. */
  async repeat(id: number): Promise<void> {
    const made = { state: "done", attempt: 2, moved_at_ms: this.clock.nowMs(), facts: "{}", refusal: null };
    await this.store.commit((tx) => tx.updateTable("entries").set(made).where("id", "=", id).execute());
  }

  alerts(): string[] {
    return this.lines.filter(({ level }) => level === "error").map(({ text }) => text);
  }

  async close(): Promise<void> {
    await this.clients.close();
    await this.store.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

const MAX_ROUNDS = 2_000;
const TURNS_A_ROUND = 40;
const STEP_MS = 50;
const FOLLOW_STEP_MS = 500;
const FOLLOWED_CLOSELY_MS = 60_000;
