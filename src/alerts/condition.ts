/** The kinds of conditions about which people get messages. */
export const ALERT_KINDS = [
  /** It is unknown whether an operation was registered, and the server's time for finding out is over. */
  "doubt",
  /** A register at which operations wait and do not end by themselves. */
  "lane-stopped",
  /** The keys of a fiscal drive end within 30 days, and within 3 days. */
  "drive-30-days",
  "drive-3-days",
  /** Documents have waited for the fiscal data operator for days. */
  "operator-queue",
  /** Money that came after a payment was rejected, and has not gone back. */
  "late-money",
  /** Money without a receipt. */
  "paid-without-receipt",
  /** The bank gives no clear answer about the end of a payment. */
  "payment-doubt",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** The receivers of alerts: the operator of the server, and the owner of the point of sale. */
export const AUDIENCES = ["operator", "owner"] as const;
export type Audience = (typeof AUDIENCES)[number];

/** The two messages of a condition. */
export const ALERT_STATES = ["begins", "ends"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** The point of sale that a condition concerns. */
export interface AlertPlace {
  appId: string;
  accountId: string;
  storeId: string;
}

/** Details of a condition for the text of its messages. */
export type AlertDetails =
  /** `id`: of the entry in the journal. `name`: the till's number of the document. */
  | { about: "operation"; id: number; name: string }
  | { about: "lane"; waiting: number }
  | { about: "drive"; daysLeft?: number }
  | { about: "queue"; days?: number; unsent?: number }
  | { about: "payment"; id: string; amountKopecks: number };

/** A condition that holds now. Kind and subject name it. */
export interface Condition {
  kind: AlertKind;
  subject: string;
  place?: AlertPlace;
  /** Canonical address. */
  register?: string;
  details: AlertDetails;
}

/** The result of a check. */
export interface Findings {
  standing: readonly Condition[];
  /**
   * Whether a condition that is not in `standing` has certainly ended. False: this is unknown, for example because
   * nothing was read from the register since the start.
   */
  canTell(kind: AlertKind, subject: string): boolean;
}
