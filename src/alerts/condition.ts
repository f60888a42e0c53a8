export const ALERT_KINDS = [
  /** It is unknown whether an operation was registered, and the server's time for finding out is over. */
  "doubt",
  /** Operations wait at a register and do not end by themselves. */
  "lane-stopped",
  /** The keys of a fiscal drive expire within 30 or 3 days, or have expired. */
  "drive-30-days",
  "drive-3-days",
  /** Documents have waited for the fiscal data operator for days. */
  "operator-queue",
  /** Money that came after its payment was rejected, and has not been returned in full. */
  "late-money",
  /** Money without a receipt. */
  "paid-without-receipt",
  /** It is unknown how a payment ended, or whether the bank has the payment. */
  "payment-doubt",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** The receivers of alerts: the server's operator, and the point of sale's owner. */
export const AUDIENCES = ["operator", "owner"] as const;
export type Audience = (typeof AUDIENCES)[number];

export const ALERT_STATES = ["begins", "ends"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

export interface AlertPlace {
  appId: string;
  accountId: string;
  storeId: string;
}

export type AlertDetails =
  /** `id`: of the journal's entry. `name`: the till's number of the document, or `BY_COMMAND` for a report that a person ordered. */
  | { about: "operation"; id: number; name: string }
  | { about: "lane"; waiting: number }
  | { about: "drive"; daysLeft?: number }
  | { about: "queue"; days?: number; unsent?: number }
  | { about: "payment"; id: string; amountKopecks: number };

/** A condition that holds now. Kind and subject identify it. */
export interface Condition {
  kind: AlertKind;
  subject: string;
  place?: AlertPlace;
  /** Canonical address. */
  register?: string;
  details: AlertDetails;
}

export interface Findings {
  standing: readonly Condition[];
  /**
   * True when a condition missing in `standing` has certainly ended. False: unknown, for example because the register was not read since
   * the start.
   */
  canTell(kind: AlertKind, subject: string): boolean;
}
