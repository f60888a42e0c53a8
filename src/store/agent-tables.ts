import type { ColumnType, Selectable } from "kysely";

type Flag = 0 | 1;

/** This server's identity for agents: one row, with id 1. */
export interface AgentServerTable {
  id: number;
  /** Drawn at random, once. */
  server_id: string;
  /** Grows with each start of the server. Every later token of a register is at least this number. */
  start_number: number;
}

/** Agents in shops, primary key name, unique by agent_id. */
export interface AgentsTable {
  name: string;
  /** Drawn at random at each enrolment. */
  agent_id: string;
  app_id: string;
  account_id: string;
  /** Ed25519, SPKI, Base64. */
  public_key: string;
  /** The agent's machine, as reported at enrolment. */
  host: string;
  version: string;
  /** The version of the agents' protocol at the last connection. */
  protocol: number | null;
  enrolled_at_ms: number;
  revoked_at_ms: number | null;
  /** The id of the data folder. Null: the agent has not connected yet. */
  folder: string | null;
  /** The confirmed epoch of the agent, and a newer epoch if the server has offered one. A hello with any other epoch is refused. */
  epoch: number;
  offered_epoch: number | null;
  /** The highest epoch that was ever offered or received. */
  top_epoch: number;
  /** The last refused hello of another copy of the agent. Null: none since the enrolment, or since a person last accepted a copy. */
  forked_epoch: number | null;
  forked_folder: string | null;
  forked_at_ms: number | null;
  /** The last stored state of the connection: whether the agent was connected, and since when. */
  connected: Flag;
  since_ms: number | null;
  /** The cluster's process with the agent's connection. Null: none, or the server is the only process. */
  process: ColumnType<string | null, string | null | undefined, string | null>;
}

/**
 * Codes for enrolment, primary key code_hash, unique by name. A row is deleted when the code is used or replaced, and some time after the
 * code expires.
 */
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
  /** The first seen or accepted device. Null: none yet. */
  serial_number: string | null;
  drive_number: string | null;
  /** The last device that was seen and refused. */
  other_serial_number: string | null;
  other_drive_number: string | null;
}

/** Commands' requests to the running server. The requesting command deletes its row; otherwise the row is deleted after some time. */
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
