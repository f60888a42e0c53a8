import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export interface PaymentSources {
  open(): Promise<{ acquirer: string; count: number }[]>;
  /** The number of paid payments that were reported because they have no sale. */
  unsold(): Promise<number>;
}

/** In seconds. A bank answers in tenths of a second, and no call may take more than five seconds. */
const CALL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 4, 6];

export class PaymentMetrics {
  readonly #ended: Counter<"acquirer" | "outcome">;
  readonly #lateMoney: Counter;
  readonly #calls: Histogram<"acquirer" | "call" | "outcome">;

  constructor(registry: Registry, sources: PaymentSources | undefined) {
    const registers = [registry];
    this.#ended = new Counter({
      name: "payment_operations_total",
      help: "QR payments by the state in which they ended",
      labelNames: ["acquirer", "outcome"],
      registers,
    });
    this.#lateMoney = new Counter({ name: "payment_late_money_total", help: "Money that came after the end of a payment", registers });
    this.#calls = new Histogram({
      name: "acquirer_call_seconds",
      help: "Calls to acquirers, by what came of them",
      labelNames: ["acquirer", "call", "outcome"],
      buckets: CALL_BUCKETS,
      registers,
    });
    if (sources === undefined) return;
    new Gauge({
      name: "payment_open",
      help: "QR payments that wait for their end",
      labelNames: ["acquirer"],
      registers,
      async collect() {
        this.reset();
        for (const { acquirer, count } of await sources.open()) this.set({ acquirer }, count);
      },
    });
    new Gauge({
      name: "payment_unsold",
      help: "Paid QR payments of which no sale was seen in time",
      registers,
      async collect() {
        this.set(await sources.unsold());
      },
    });
  }

  observeEnd(acquirer: string, outcome: string): void {
    this.#ended.inc({ acquirer, outcome });
  }

  observeLateMoney(): void {
    this.#lateMoney.inc();
  }

  observeCall(acquirer: string, call: string, outcome: string, durationMs: number): void {
    this.#calls.observe({ acquirer, call, outcome }, durationMs / 1_000);
  }
}
