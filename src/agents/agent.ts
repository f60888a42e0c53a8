/** When several states apply, the first of them in this list is shown. */
export type AgentState = "revoked" | "forked" | "connected" | "away" | "waiting";

/** An agent in the JSON of `agents list` (agents surface 5). */
export interface ShownAgent {
  name: string;
  account: string;
  state: AgentState;
  /**
   * When the agent was revoked. Otherwise when it last connected or disconnected. Before its first connection: when it was enrolled. In ISO
   * 8601. Null: there is only a code.
   */
  since: string | null;
  version: string | null;
  protocol: number | null;
  epoch: number | null;
  /** How long the agent took for its last answer that needed no device. Null: not connected, or unknown. */
  rttMs: number | null;
  /** The agent's clock minus the server's. Always null, because no frame of the agent carries its time. */
  clockOffMs: number | null;
  /** The number of attempts in the agent's record that unfinished operations still need. Null: unknown. */
  unfinished: number | null;
  registers: ShownRegister[];
  /** When the enrolment code expires. Only for a name without an agent. */
  codeUntil?: string;
}

export interface ShownRegister {
  name: string;
  scheme: string | null;
  serialNumber: string | null;
  driveNumber: string | null;
  /**
   * True: the numbers are those of the first seen device, or of a device that a person accepted. False: no device was seen yet, or a
   * different device was refused.
   */
  pinned: boolean;
  state: "reached" | "unreachable" | "unknown";
  /** A different device, which was refused. */
  other?: { serialNumber: string; driveNumber: string };
}

/** Allowed names of agents and registers (agents surface 3). */
export const AGENT_NAME = /^[a-z0-9-]{1,40}$/;
/** The register of an address without a register name. */
export const MAIN_REGISTER = "main";
