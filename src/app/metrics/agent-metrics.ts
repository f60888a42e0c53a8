import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { FAILED_CODES } from "../../registers/agent/wire/protocol.ts";

export interface AgentSources {
  connected(): number;
}

/** In seconds. A question to an agent's record takes milliseconds, a document on paper seconds. */
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 9, 15, 30];

/** How a call ended. `code`: a code of the agent, or `too-long` of this server. */
type CallEnd = { kind: "result"; result: unknown } | { kind: "failed"; code: string } | { kind: "lost" };

/** The answers of a `recall`. An agent's unknown word must not become a label. */
const RECALLED = ["outcome", "running", "unknown", "never"];
/** Why a call was not carried out: the codes of agents, and the server's own code for a call that does not fit into a frame. */
const KNOWN_FAILURES: readonly string[] = [...FAILED_CODES, "too-long"];

export class AgentMetrics {
  readonly #connects: Counter<"outcome">;
  readonly #calls: Histogram<"call" | "outcome">;
  readonly #recalls: Counter<"answer">;
  readonly #refused: Counter<"why">;
  readonly #bytes: Counter<"direction">;
  readonly #logDropped: Counter;

  constructor(registry: Registry, sources: AgentSources | undefined) {
    const registers = [registry];
    this.#connects = new Counter({
      name: "agent_connects_total",
      help: "Connections at /agents/connect, by how their beginning ended",
      labelNames: ["outcome"],
      registers,
    });
    this.#calls = new Histogram({
      name: "agent_call_seconds",
      help: "Calls to agents, by what came of them",
      labelNames: ["call", "outcome"],
      buckets: CALL_BUCKETS,
      registers,
    });
    this.#recalls = new Counter({
      name: "agent_recalls_total",
      help: "What agents have answered about earlier attempts",
      labelNames: ["answer"],
      registers,
    });
    this.#refused = new Counter({
      name: "agent_refused_total",
      help: "Calls that could not be made or that an agent has not carried out",
      labelNames: ["why"],
      registers,
    });
    this.#bytes = new Counter({
      name: "agent_bytes_total",
      help: "Bytes of frames exchanged with agents",
      labelNames: ["direction"],
      registers,
    });
    this.#logDropped = new Counter({ name: "agent_log_dropped_total", help: "Log lines that agents have dropped", registers });
    if (sources === undefined) return;
    new Gauge({
      name: "agents_connected",
      help: "Agents that are connected",
      registers,
      collect() {
        this.set(sources.connected());
      },
    });
  }

  connect(outcome: string): void {
    this.#connects.inc({ outcome });
  }

  call(call: string, end: CallEnd, durationMs: number): void {
    this.#calls.observe({ call, outcome: end.kind }, durationMs / 1_000);
    if (end.kind === "failed") this.refused(KNOWN_FAILURES.includes(end.code) ? end.code : "other");
    if (call === "recall") this.#recalls.inc({ answer: answerOf(end) });
  }

  refused(why: string): void {
    this.#refused.inc({ why });
  }

  bytes(direction: "in" | "out", bytes: number): void {
    this.#bytes.inc({ direction }, bytes);
  }

  logDropped(lines: number): void {
    this.#logDropped.inc(lines);
  }
}

function answerOf(end: CallEnd): string {
  if (end.kind !== "result") return "none";
  const { result } = end;
  const kind = typeof result === "object" && result !== null && "kind" in result ? String(result.kind) : "";
  return RECALLED.includes(kind) ? kind : "none";
}
