import type { Selectable } from "kysely";

type Flag = 0 | 1;

/**
 * Conditions about which people get messages, primary key (audience, kind, subject). A row is deleted some time after
 * its condition has ended and all its messages are sent.
 */
export interface AlertsTable {
  /** `operator`, or `owner` of the point of sale. */
  audience: string;
  kind: string;
  /** What the condition is about: an entry of the journal, a payment or a register. */
  subject: string;
  app_id: string | null;
  account_id: string | null;
  store_id: string | null;
  register: string | null;
  /** The two messages as people read them, made when the condition began. */
  begins_text: string;
  ends_text: string;
  /** 1: the condition held at the last check that could find out. */
  stands: Flag;
  /** When a check could last find out whether the condition holds, to the hour. */
  seen_at_ms: number;
  /** When `stands` was last changed. */
  changed_at_ms: number;
  /** The message that was sent last: `begins` or `ends`. Null: none. */
  told: string | null;
  begins_told_at_ms: number | null;
  ends_told_at_ms: number | null;
  /** The message that must be sent: `begins` or `ends`. Null: none. */
  owed: string | null;
  /** When the change happened that the owed message is about: the condition began or ended. */
  owed_since_ms: number | null;
  /** Failed attempts to send the owed message. */
  attempts: number;
  /** When the owed message is sent next; until then another process may be sending it. */
  next_try_at_ms: number | null;
  /** Why the owed message could not be sent, without secrets. */
  problem: string | null;
  /** Grows with each change. Only a process that has read the newest version can change the row. */
  version: number;
}

export type AlertRow = Selectable<AlertsTable>;
