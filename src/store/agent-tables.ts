import type { ColumnType, Selectable } from "kysely";

type Flag = 0 | 1;

/** This server as agents know it: one row, with id 1. */
export interface AgentServerTable {
  id: number;
  /** The server's id, drawn once. */
  server_id: string;
  /** Grows with each start of the server. Every later token of a register is above it. */
  start_number: number;
}

/** Agents in shops, primary key name, unique by agent_id. */
export interface AgentsTable {
  name: string;
  /** Drawn at each enrolment. */
  agent_id: string;
  app_id: string;
  account_id: string;
  /** Ed25519, SPKI, Base64. */
  public_key: string;
  /** What the agent said of its machine when it was enrolled. */
  host: string;
  version: string;
  /** The version of the agents' protocol at the last connection. */
  protocol: number | null;
  enrolled_at_ms: number;
  revoked_at_ms: number | null;
  /** The id of the data folder. Null: the agent has not been connected yet. */
  folder: string | null;
  /**
   * The epoch that the agent has confirmed, and the newer epoch that the server has offered it since. A hello with another epoch is
   * refused.
   */
  epoch: number;
  offered_epoch: number | null;
  /** The highest epoch that was ever offered or heard of. */
  top_epoch: number;
  /** The last refused hello of another copy of the agent. Null: there was none since the last accept. */
  forked_epoch: number | null;
  forked_folder: string | null;
  forked_at_ms: number | null;
  /** Whether it was connected when that was last stored, and since when it is connected or away. */
  connected: Flag;
  since_ms: number | null;
  /** The process of a cluster to which it is connected. Null: to none, or the server is the only one. */
  process: ColumnType<string | null, string | null | undefined, string | null>;
}

/** Codes for enrolment, primary key code_hash, unique by name. A row is deleted when the code is used. */
export interface AgentCodesTable {
  /** SHA-256, hex. */
  code_hash: string;
  name: string;
  app_id: string;
  account_id: string;
  expires_at_ms: number;
}

/** Registers behind agents, primary key (name, register). */
export interface AgentRegistersTable {
  name: string;
  register: string;
  scheme: string | null;
  /** The device that was seen first or accepted. Null: none yet. */
  serial_number: string | null;
  drive_number: string | null;
  /** Another device that was seen last and is refused. */
  other_serial_number: string | null;
  other_drive_number: string | null;
}

/** What commands ask of the running server. Rows are deleted by who asked, or after some time. */
export interface AgentRequestsTable {
  id: string;
  asked_at_ms: number;
  /** JSON. */
  request: string;
  /** JSON. Null: not answered yet. */
  answer: string | null;
}

export type AgentRow = Selectable<AgentsTable>;
export type AgentCodeRow = Selectable<AgentCodesTable>;
export type AgentRegisterRow = Selectable<AgentRegistersTable>;
