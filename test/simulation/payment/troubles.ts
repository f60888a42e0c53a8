import type { SeededChance } from "../seeded-chance.ts";
import { CALM as CALM_SERVER, type Troubles } from "../troubles.ts";

/** How often things go wrong with QR payments. Each number is a share of the occasions. */
export interface PaymentTroubles {
  /** Troubles of the processes and their database. */
  server: Troubles;
  /**
   * Share of calls to the bank whose answer is lost after the work, that fail before the work, or that the bank refuses because it is busy.
   */
  lostAnswer: number;
  errorBefore: number;
  busy: number;
  /**
   * Share of calls to the bank that are done at once but answered after the deadline, and share of calls that are done
   * after the deadline.
   */
  slowAnswer: number;
  slowRequest: number;
  /** Share of calls with which a time begins in which the bank cannot be reached. */
  down: number;
  /** Share of readings with an unknown status, or with another amount. */
  strangeStatus: number;
  wrongAmount: number;
  /** Share of payments for which the bank always shows an unknown status or another amount. */
  strangeForever: number;
  wrongForever: number;
  /** Share of payments that are refused, are made with another amount, or get a code with another sum. */
  createRefused: number;
  otherAmount: number;
  wrongSum: number;
  /** Share of refunds that are refused at once, for good or for now, or after they were accepted. */
  refundRefused: number;
  refundLater: number;
  refundFails: number;
  /**
   * Share of notifications that are lost, sent twice, or sent before the answer to create. Share of seconds in which
   * somebody else sends a forged one.
   */
  noNotification: number;
  doubleNotification: number;
  earlyNotification: number;
  forgedNotification: number;
  /** How likely it is in each second that somebody sets the wall clock of the server's machine. */
  clockJump: number;
}

const NONE = {
  lostAnswer: 0,
  errorBefore: 0,
  busy: 0,
  slowAnswer: 0,
  slowRequest: 0,
  down: 0,
  strangeStatus: 0,
  wrongAmount: 0,
  strangeForever: 0,
  wrongForever: 0,
  createRefused: 0,
  otherAmount: 0,
  wrongSum: 0,
  refundRefused: 0,
  refundLater: 0,
  refundFails: 0,
  noNotification: 0,
  doubleNotification: 0,
  earlyNotification: 0,
  forgedNotification: 0,
  clockJump: 0,
};

export const CALM: PaymentTroubles = { server: CALM_SERVER, ...NONE };

const STORMY: PaymentTroubles = {
  server: { ...CALM_SERVER, deathAtAwait: 0.0015, commitFailure: 0.003, commitStall: 0.003 },
  lostAnswer: 0.04,
  errorBefore: 0.03,
  busy: 0.03,
  slowAnswer: 0.02,
  slowRequest: 0.02,
  down: 0.004,
  strangeStatus: 0.005,
  wrongAmount: 0.002,
  strangeForever: 0.02,
  wrongForever: 0.02,
  createRefused: 0.04,
  otherAmount: 0.02,
  wrongSum: 0.03,
  refundRefused: 0.04,
  refundLater: 0.05,
  refundFails: 0.05,
  noNotification: 0.3,
  doubleNotification: 0.2,
  earlyNotification: 0.2,
  forgedNotification: 0.002,
  clockJump: 0.002,
};

const { server } = STORMY;

/** A storm with a few kinds of trouble shows faults that a storm with all kinds hides. */
const STORMS: readonly PaymentTroubles[] = [
  STORMY,
  { ...STORMY, server: { ...server, deathAtAwait: 0.006 } },
  { ...CALM, server: { ...server, deathAtAwait: 0.004, commitFailure: 0, commitStall: 0 } },
  { ...CALM, lostAnswer: 0.3, slowAnswer: 0.1, slowRequest: 0.1 },
  { ...CALM, lostAnswer: 0.1, refundRefused: 0.1, refundLater: 0.3, refundFails: 0.1, noNotification: 0.5 },
  { ...CALM, down: 0.03, errorBefore: 0.1, busy: 0.1, noNotification: 0.5, server: { ...server, commitFailure: 0.02, commitStall: 0.02 } },
  { ...CALM, strangeStatus: 0.05, wrongAmount: 0.02, strangeForever: 0.2, wrongForever: 0.1, otherAmount: 0.1, wrongSum: 0.1 },
  { ...CALM, clockJump: 0.02, earlyNotification: 0.5, doubleNotification: 0.5, forgedNotification: 0.02, lostAnswer: 0.05 },
  STORMY,
];

export function stormOf(chance: SeededChance): PaymentTroubles {
  return chance.pick(STORMS);
}

/** A supervisor starts the process again within this time. */
export const LONGEST_ABSENCE_MS = 20_000;
/** A bank can be reached again within this time. */
export const LONGEST_DOWN_MS = 240_000;
/** A request that was given up arrives at the bank within this time. */
export const LONGEST_ON_THE_WAY_MS = 20_000;
/** The largest error of the wall clock. The time for which late money is watched allows for this error. */
export const LONGEST_OFF_MS = 180_000;
