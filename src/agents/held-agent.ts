import { present } from "../kernel/present.ts";
import { type AgentFrame, MAX_REGISTERS } from "../registers/agent/wire/frames-schema.ts";
import type { AgentRow } from "../store/agent-tables.ts";
import type { AgentConnection } from "./connection.ts";
import { KeptLog } from "./kept-log.ts";

type SeenState = Extract<AgentFrame, { seen: unknown }>["seen"]["state"];

/** What a process knows about an agent that is connected to it. */
export interface AgentView {
  epoch: number;
  sinceMs?: number;
  rttMs?: number;
  unfinished?: number;
  seen: Readonly<Record<string, "reached" | "unreachable">>;
}

/** Returns the view of a connected agent. Undefined: it is not connected to this process. */
export function viewOf(held: HeldAgent | undefined): AgentView | undefined {
  if (held?.connection === undefined) return undefined;
  const { connection, sinceMs, rttMs, unfinished } = held;
  const seen = connection.hello.registers.flatMap(({ name }) => {
    const state = held.seen(name);
    return state === undefined ? [] : [[name, state.kind] as const];
  });
  return { epoch: connection.epoch, ...present({ sinceMs, rttMs, unfinished }), seen: Object.fromEntries(seen) };
}

export class HeldAgent {
  /** The last read row, updated with the values that this process has stored since. */
  row: AgentRow;
  connection: AgentConnection | undefined;
  /** When the agent last connected or disconnected. Undefined: unknown. */
  sinceMs: number | undefined;
  rttMs: number | undefined;
  unfinished: number | undefined;
  /** Stops the periodic settling on the current connection. */
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
    if (this.#seen.has(register) || this.#seen.size < MAX_REGISTERS) this.#seen.set(register, state);
  }
}
