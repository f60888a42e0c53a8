import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { SeenRequest } from "../http/access-log.ts";
import {
  CLOCK_LIMIT_MINUTES,
  CLOCK_MINUTES,
  concernsOf,
  DOCUMENTS_LEFT,
  KEY_DAYS,
  QUEUE_DAYS,
  QUEUE_LIMIT_DAYS,
  type Reserves,
  SHIFT_HOURS,
  SHIFT_LIMIT_HOURS,
} from "../model/concerns.ts";
import { AgentMetrics, type AgentSources } from "./metrics/agent-metrics.ts";
import { AlertMetrics, type AlertSources } from "./metrics/alert-metrics.ts";
import { ClusterMetrics } from "./metrics/cluster-metrics.ts";
import { LoyaltyMetrics } from "./metrics/loyalty-metrics.ts";
import { PageMetrics } from "./metrics/page-metrics.ts";
import { PaymentMetrics, type PaymentSources } from "./metrics/payment-metrics.ts";

/** The last known state of a register, from memory. */
export interface SeenRegister {
  /** Canonical address. */
  register: string;
  /** Seconds since this state was read. `Infinity`: none was read. */
  ageSeconds: number;
  reachable: boolean;
  shift: "open" | "closed" | "expired" | "unknown";
  paper: "present" | "out" | "unknown";
  /** Documents that the data operator has not confirmed. 0 also while no state was read. */
  unsent: number;
  lastDocumentNumber: number;
  reserves: Reserves;
}

/** The sources that the gauges read when Prometheus asks. */
export interface MetricSources {
  /** The busy registers, and the number of operations that wait for each. */
  lanes(): { register: string; waiting: number }[];
  /** The registers whose lanes are stopped by a document in doubt. */
  stopped(): string[] | Promise<string[]>;
  registers(): SeenRegister[];
  journal(): Promise<Record<string, number>>;
  /** Absent: no gauges of payments. */
  payments?: PaymentSources;
  /** Absent: no gauges of agents. */
  agents?: AgentSources;
  /** Absent: no gauges of alerts. */
  alerts?: AlertSources;
  /** How many registers this process holds. Absent: this process alone uses the database. */
  leases?: () => number;
}

/** In seconds. A sale takes milliseconds on the emulator and seconds on paper. The platform gets an answer within nine seconds. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 9, 15, 30];

/** In seconds. A look-up may take at most 300 ms. */
const LOOK_UP_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5];

/** The metrics of one server, in Prometheus' text format. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<"route" | "status">;
  readonly #operations: Counter<"operation" | "outcome">;
  readonly #durations: Histogram<"operation">;
  readonly #lookUps: Histogram<"outcome">;
  readonly #returnedMore: Counter<"how">;
  readonly #unreadMarks: Counter<"operation">;
  readonly #beyondBound: Counter<"what">;
  readonly payments: PaymentMetrics;
  readonly loyalty: LoyaltyMetrics;
  readonly alerts: AlertMetrics;
  /** Absent when this process alone uses the database. */
  readonly cluster: ClusterMetrics | undefined;
  readonly agents: AgentMetrics;
  readonly #pages: PageMetrics;

  constructor(options: { version: string; sources: MetricSources; ofProcess?: boolean }) {
    const registers = [this.#registry];
    this.#requests = new Histogram({
      name: "fiscal_http_request_duration_seconds",
      help: "Requests by route and status (0: the caller went away)",
      labelNames: ["route", "status"],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#operations = new Counter({
      name: "fiscal_operations_total",
      help: "Operations by kind and outcome",
      labelNames: ["operation", "outcome"],
      registers,
    });
    this.#durations = new Histogram({
      name: "fiscal_operation_duration_seconds",
      help: "From the operation's arrival to its outcome",
      labelNames: ["operation"],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#lookUps = new Histogram({
      name: "fiscal_platform_look_up_duration_seconds",
      help: "What asking the platform's JSON API cost an operation (late: its time was over; quiet: not waited for; off: no access)",
      labelNames: ["outcome"],
      buckets: LOOK_UP_BUCKETS,
      registers,
    });
    this.#returnedMore = new Counter({
      name: "fiscal_returns_above_sale_total",
      help: "Registered returns that give back more than was sold, by how (one return may do it in several ways)",
      labelNames: ["how"],
      registers,
    });
    this.#unreadMarks = new Counter({
      name: "fiscal_unread_marks_total",
      help: "Things that were registered under a marking code that could not be read, by the operation",
      labelNames: ["operation"],
      registers,
    });
    this.#beyondBound = new Counter({
      name: "fiscal_refusals_beyond_bound_total",
      help: "Refused operations beyond what an account may leave in the journal (not-written: answered without a trace; held-back: not sent)",
      labelNames: ["what"],
      registers,
    });
    new Gauge({ name: "fiscal_build_info", help: "Always 1", labelNames: ["version"], registers }).set({ version: options.version }, 1);
    addGauges(this.#registry, options.sources);
    this.loyalty = new LoyaltyMetrics(this.#registry);
    this.agents = new AgentMetrics(this.#registry, options.sources.agents);
    this.payments = new PaymentMetrics(this.#registry, options.sources.payments);
    this.alerts = new AlertMetrics(this.#registry, options.sources.alerts);
    this.cluster = options.sources.leases && new ClusterMetrics(this.#registry, options.sources.leases);
    this.#pages = new PageMetrics(this.#registry);
    if (options.ofProcess ?? true) collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  observeRequest(request: SeenRequest): void {
    const { route, status, durationMs } = request;
    this.#pages.observe(request);
    this.#requests.observe({ route, status: String(status) }, durationMs / 1000);
  }

  observeOperation(operation: string, outcome: string, durationMs?: number): void {
    this.#operations.inc({ operation, outcome });
    if (durationMs !== undefined) this.#durations.observe({ operation }, durationMs / 1000);
  }

  observeReturnedMore(how: string): void {
    this.#returnedMore.inc({ how });
  }

  countUnreadMarks(operation: string, count: number): void {
    this.#unreadMarks.inc({ operation }, count);
  }

  observeBeyondBound(what: string): void {
    this.#beyondBound.inc({ what });
  }

  observeLookUp(outcome: string, durationMs: number): void {
    this.#lookUps.observe({ outcome }, durationMs / 1000);
  }
}

function addGauges(registry: Registry, sources: MetricSources): void {
  gauge(registry, "fiscal_lane_waiting", "Operations that wait for a register", ["register"], () =>
    sources.lanes().map(({ register, waiting }) => [{ register }, waiting]),
  );
  gauge(registry, "fiscal_lane_stopped", "1: the lane waits for a person", ["register"], async () =>
    (await sources.stopped()).map((register) => [{ register }, 1]),
  );
  gauge(registry, "fiscal_journal_entries", "Operations that have not ended, by state", ["state"], async () =>
    Object.entries(await sources.journal()).map(([state, count]) => [{ state }, count]),
  );
  const ofRegister = (name: string, help: string, value: (seen: SeenRegister) => number | undefined) =>
    gauge(registry, `fiscal_register_${name}`, help, ["register"], () =>
      sources.registers().flatMap((seen): Sample[] => {
        const known = value(seen);
        return known === undefined ? [] : [[{ register: seen.register }, known]];
      }),
    );
  ofRegister("seen_age_seconds", "Age of what is known of the register", (seen) => seen.ageSeconds);
  ofRegister("reachable", "1: it answered when last asked", (seen) => (seen.reachable ? 1 : 0));
  ofRegister("shift_open", "1: a shift is open", (seen) => (seen.shift === "open" || seen.shift === "expired" ? 1 : 0));
  ofRegister("shift_expired", "1: the open shift is older than 24 hours", (seen) => (seen.shift === "expired" ? 1 : 0));
  ofRegister("paper_out", "1: no paper", (seen) => (seen.paper === "out" ? 1 : 0));
  ofRegister("unsent_documents", "Documents not confirmed by the data operator", (seen) => seen.unsent);
  ofRegister("last_document_number", "Number of the newest document in the drive", (seen) => seen.lastDocumentNumber);
  addReserves(registry, sources, ofRegister);
}

type OfRegister = (name: string, help: string, value: (seen: SeenRegister) => number | undefined) => void;

/**
 * Adds the gauges of causes that will stop a register. A value that the register does not report is absent. The help texts name the bounds
 * of the warnings in the log.
 */
function addReserves(registry: Registry, sources: MetricSources, ofRegister: OfRegister): void {
  const { round } = Math;
  ofRegister(
    "drive_days_left",
    `Days until the keys of the drive end and it refuses documents; warned of below ${KEY_DAYS.join(", ")}`,
    ({ reserves: { keyDays } }) => keyDays,
  );
  ofRegister(
    "drive_documents_left",
    `Documents for which the drive has room, asked for once an hour; warned of below ${DOCUMENTS_LEFT.join(", ")}`,
    ({ reserves: { documentsLeft } }) => documentsLeft,
  );
  ofRegister("drive_memory_full", "1: the drive itself warns that its memory is nearly full", ({ reserves: { memoryFull } }) =>
    memoryFull === undefined ? undefined : Number(memoryFull),
  );
  ofRegister(
    "unsent_age_seconds",
    `Age of the oldest document not confirmed by the data operator; warned of at ${QUEUE_DAYS.join(", ")} days, at ${QUEUE_LIMIT_DAYS} the drive refuses receipts`,
    ({ reserves: { queueDays } }) => (queueDays === undefined ? undefined : round(queueDays * 86_400)),
  );
  ofRegister(
    "shift_age_seconds",
    `Age of the open shift, 0 while it is closed; warned of at ${SHIFT_HOURS.join(", ")} hours, at ${SHIFT_LIMIT_HOURS} the drive refuses receipts`,
    ({ reserves: { shiftHours } }) => (shiftHours === undefined ? undefined : round(shiftHours * 3_600)),
  );
  ofRegister(
    "clock_ahead_seconds",
    `How far the register's clock is ahead of the server's, below zero behind; warned of at ${CLOCK_MINUTES.join(", ")} minutes, ${CLOCK_LIMIT_MINUTES} are allowed`,
    ({ reserves: { clockAheadMinutes } }) => (clockAheadMinutes === undefined ? undefined : round(clockAheadMinutes * 60)),
  );
  gauge(
    registry,
    "fiscal_register_concern",
    "What will stop the register, as the log has it: 1 soon, 2 now; absent where all is well",
    ["register", "about"],
    () =>
      sources
        .registers()
        .flatMap(({ register, reserves }) =>
          concernsOf(reserves).map(({ about, weight }): Sample => [{ register, about }, weight === "stops-now" ? 2 : 1]),
        ),
  );
}

type Sample = [Record<string, string>, number];

/** Adds a gauge that is filled when Prometheus asks, so that a removed register disappears from the gauge. */
function gauge(registry: Registry, name: string, help: string, labelNames: string[], samples: () => Sample[] | Promise<Sample[]>): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      this.reset();
      for (const [labels, value] of await samples()) this.set(labels, value);
    },
  });
}
