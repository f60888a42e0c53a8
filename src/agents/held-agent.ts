import { present } from "../kernel/present.ts";
import type { AgentFrame } from "../registers/agent/wire/frames-schema.ts";
import type { AgentRow } from "../store/agent-tables.ts";
import type { AgentConnection } from "./connection.ts";
import { KeptLog } from "./kept-log.ts";

type SeenState = Extract<AgentFrame, { seen: unknown }>["seen"]["state"];

/** The largest number of registers whose last state is kept. An agent has no more. */
const MAX_SEEN = 20;

/** What a process knows of an agent that is connected to it. */
export interface AgentView {
  epoch: number;
  sinceMs?: number;
  rttMs?: number;
  unfinished?: number;
  /** The last state of each register, by its name. */
  seen: Readonly<Record<string, "reached" | "unreachable">>;
}

/** Returns what is known of a connected agent. Undefined: it is not connected here. */
export function viewOf(held: HeldAgent | undefined): AgentView | undefined {
  if (held?.connection === undefined) return undefined;
  const { connection, sinceMs, rttMs, unfinished } = held;
  const seen = connection.hello.registers.flatMap(({ name }) => {
    const state = held.seen(name);
    return state === undefined ? [] : [[name, state.kind] as const];
  });
  return { epoch: connection.epoch, ...present({ sinceMs, rttMs, unfinished }), seen: Object.fromEntries(seen) };
}

/** An agent as the server holds it in memory. */
export class HeldAgent {
  /** The stored row as it was last read, with the values that this server has stored since. */
  row: AgentRow;
  /** The connection in use. */
  connection: AgentConnection | undefined;
  /** Since when the agent is connected or away. Undefined: unknown. */
  sinceMs: number | undefined;
  rttMs: number | undefined;
  unfinished: number | undefined;
  /** Ends the rounds in which the connection in use is asked for its attempts. */
  stopSettling = () => {};
  readonly log = new KeptLog();
  readonly #seen = new Map<string, SeenState>();

  constructor(row: AgentRow) {
    this.row = row;
    this.sinceMs = row.since_ms ?? undefined;
  }

  seen(register: string): SeenState | undefined {
    return this.#seen.get(register);
  }

  noteSeen(register: string, state: SeenState): void {
    if (this.#seen.has(register) || this.#seen.size < MAX_SEEN) this.#seen.set(register, state);
  }
}
