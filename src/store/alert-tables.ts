import type { Selectable } from "kysely";

type Flag = 0 | 1;

/**
 * Conditions that cause messages to people, primary key (audience, kind, subject). A row is deleted some time after its condition ended and
 * its messages were sent or given up. It is also deleted when it has no possible receiver, or when no check could judge it for a long time.
 */
export interface AlertsTable {
  /** `operator`, or `owner` of the point of sale. */
  audience: string;
  kind: string;
  /** The subject of the condition: an entry of the journal, a payment or a register. */
  subject: string;
  app_id: string | null;
  account_id: string | null;
  store_id: string | null;
  register: string | null;
  /** The texts of both messages, made when the condition last began. */
  begins_text: string;
  ends_text: string;
  /** 1: the condition held at the last conclusive check. */
  stands: Flag;
  /** The time of the last conclusive check, to the hour. */
  seen_at_ms: number;
  /** When `stands` was last changed. */
  changed_at_ms: number;
  /** The last sent message: `begins` or `ends`. Null: none. */
  told: string | null;
  begins_told_at_ms: number | null;
  ends_told_at_ms: number | null;
  /** The message to send: `begins` or `ends`. Null: none. */
  owed: string | null;
  /** When the condition of the owed message began or ended. */
  owed_since_ms: number | null;
  /** Failed attempts to send the owed message. */
  attempts: number;
  /** The next time to send the owed message. Until then another process may be sending it. */
  next_try_at_ms: number | null;
  /** Why sending the owed message failed, without secrets. */
  problem: string | null;
  /** Grows with each change. Only a process that has read the newest version can change the row. */
  version: number;
}

export type AlertRow = Selectable<AlertsTable>;
