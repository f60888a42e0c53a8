import { Counter, Histogram, type Registry } from "prom-client";

/** In seconds. A quote takes some milliseconds. Sending a code takes longer, because a provider of text messages must answer. */
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 8];

export class LoyaltyMetrics {
  readonly #calls: Histogram<"call">;
  readonly #points: Counter<"kind">;
  readonly #anomalies: Counter<"kind">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#calls = new Histogram({
      name: "loyalty_call_seconds",
      help: "Calls of the loyalty contract",
      labelNames: ["call"],
      buckets: CALL_BUCKETS,
      registers,
    });
    this.#points = new Counter({
      name: "loyalty_points_total",
      help: "Points that were booked, by the kind of entry",
      labelNames: ["kind"],
      registers,
    });
    this.#anomalies = new Counter({
      name: "loyalty_anomalies_total",
      help: "What was booked and a person may want to look at",
      labelNames: ["kind"],
      registers,
    });
  }

  observeCall(call: string, durationMs: number): void {
    this.#calls.observe({ call }, durationMs / 1000);
  }

  observePoints(kind: string, points: number): void {
    this.#points.inc({ kind }, points);
  }

  observeAnomaly(kind: string): void {
    this.#anomalies.inc({ kind });
  }
}
