/** What people are told of. */
export const ALERT_KINDS = [
  /** An operation of which nobody knows whether it was registered, and the server's time for finding out is over. */
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
  /** A payment of whose end the bank says nothing clear. */
  "payment-doubt",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** The receivers of alerts: the operator of the server, and the owner of the point of sale. */
export const AUDIENCES = ["operator", "owner"] as const;
export type Audience = (typeof AUDIENCES)[number];

/** Which of the two messages of a condition. */
export const ALERT_STATES = ["begins", "ends"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** The point of sale that a condition concerns. */
export interface AlertPlace {
  appId: string;
  accountId: string;
  storeId: string;
}

/** What a condition is about, for the words. */
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

/** What a look has found. */
export interface Findings {
  standing: readonly Condition[];
  /**
   * Whether this look could tell that the condition does not hold. False: nobody knows, for example because the register was not asked since
   * the start.
   */
  canTell(kind: AlertKind, subject: string): boolean;
}
