/** The state of an agent. When several apply, the first of them is shown. */
export type AgentState = "revoked" | "forked" | "connected" | "away" | "waiting";

/** An agent as people see it: the JSON of `agents list` (surface 5). */
export interface ShownAgent {
  name: string;
  account: string;
  state: AgentState;
  /**
   * Since when it is revoked, connected or away. For an agent that was never connected: when it was enrolled. ISO 8601. Null: there is only
   * a code.
   */
  since: string | null;
  version: string | null;
  protocol: number | null;
  epoch: number | null;
  /** How long the agent took for the last question that asks no device. Null: not connected. */
  rttMs: number | null;
  /** The difference between the agent's clock and the server's. Null: the agent has not sent its time. */
  clockOffMs: number | null;
  /** The number of attempts that the agent keeps and whose operation has not ended. Null: unknown. */
  unfinished: number | null;
  registers: ShownRegister[];
  /** Until when the code for its enrolment works. Only for a name without an agent. */
  codeUntil?: string;
}

export interface ShownRegister {
  name: string;
  scheme: string | null;
  serialNumber: string | null;
  driveNumber: string | null;
  /** Whether the numbers are of an accepted device. False: nothing was seen yet, or another device is there and is refused. */
  pinned: boolean;
  state: "reached" | "unreachable" | "unknown";
  /** A different device that was seen there and is refused. */
  other?: { serialNumber: string; driveNumber: string };
}

/** Names of agents and of their registers (surface 3). */
export const AGENT_NAME = /^[a-z0-9-]{1,40}$/;
/** The register that an address without one means. */
export const MAIN_REGISTER = "main";
