import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ClusterObserver } from "../../cluster/services.ts";

/** In seconds. A forwarded sale takes as long as the register needs. */
const FORWARD_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 9];
/** In seconds. A renewal is one commit. A renewal that takes two thirds of a lease time is too late. */
const RENEWAL_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

/** The metrics of a process that shares its database with others. */
export class ClusterMetrics implements ClusterObserver {
  readonly #takeovers: Counter<"why">;
  readonly #forwards: Counter<"outcome">;
  readonly #forwardSeconds: Histogram;
  readonly #fenced: Counter<"where">;
  readonly #renewalSeconds: Histogram;

  constructor(registry: Registry, leases: () => number) {
    const registers = [registry];
    new Gauge({
      name: "cluster_leases",
      help: "Registers that this process holds",
      registers,
      collect() {
        this.set(leases());
      },
    });
    this.#takeovers = new Counter({
      name: "cluster_takeovers_total",
      help: "Registers and processes taken over (silent: a process was counted as lost; free: a register that nobody held was taken)",
      labelNames: ["why"],
      registers,
    });
    this.#forwards = new Counter({
      name: "cluster_forwards_total",
      help: "Operations sent to the holder of their register (not-here: it holds the register no more; no-answer)",
      labelNames: ["outcome"],
      registers,
    });
    this.#forwardSeconds = new Histogram({
      name: "cluster_forward_seconds",
      help: "One call to the holder of a register",
      buckets: FORWARD_BUCKETS,
      registers,
    });
    this.#fenced = new Counter({
      name: "cluster_fenced_total",
      help: "What was held back because another process may have the register (journal: an intention; register: a document; link: bytes)",
      labelNames: ["where"],
      registers,
    });
    this.#renewalSeconds = new Histogram({
      name: "cluster_renewal_seconds",
      help: "One successful renewal of the lease of this process",
      buckets: RENEWAL_BUCKETS,
      registers,
    });
  }

  renewed(durationMs: number): void {
    this.#renewalSeconds.observe(durationMs / 1000);
  }

  takenOver(why: "silent" | "free"): void {
    this.#takeovers.inc({ why });
  }

  fenced(where: "journal" | "link" | "register"): void {
    this.#fenced.inc({ where });
  }

  forwarded(outcome: string, durationMs: number): void {
    this.#forwards.inc({ outcome });
    this.#forwardSeconds.observe(durationMs / 1000);
  }
}
