import type { SeededChance } from "./seeded-chance.ts";

/** How often things go wrong. Each number is a share of the occasions. */
export interface Troubles {
  /** Deaths at an await of the server that does not belong to a link. */
  deathAtAwait: number;
  /** Deaths at an await of the driver on its link. */
  deathOnTheLine: number;
  /** Commits that fail, and commits that take a long time. */
  commitFailure: number;
  commitStall: number;
  /** Faults of the device at a command that registers, and at any other command. */
  faultAtRegistering: number;
  faultAtQuestion: number;
  /** Damaged messages on the cable. */
  damage: number;
  delay: number;
  cut: number;
  powerCut: number;
  /** Jumps of the device's clock or of the server's, at an occasion of each. */
  clockJump: number;
  /** Share of the status requests after a document in which the status states the number from before this document. */
  oldNumber: number;
  /** How likely it is that a day passes on the device's clock, at each document of the platform. */
  dayPasses: number;
  /** How likely it is that somebody puts an earlier copy of the drive into the device for a while, after each document of the platform. */
  driveBack: number;
  /** Share of documents that a cashier sends before the shift is opened, and share of refused documents that are sent again later. */
  early: number;
  again: number;
  /** How likely it is that somebody starts a second server with the same data, at each look at the invariants. */
  secondProcess: number;
}

export const CALM: Troubles = {
  deathAtAwait: 0,
  deathOnTheLine: 0,
  commitFailure: 0,
  commitStall: 0,
  faultAtRegistering: 0,
  faultAtQuestion: 0,
  damage: 0,
  delay: 0,
  cut: 0,
  powerCut: 0,
  clockJump: 0,
  oldNumber: 0,
  dayPasses: 0,
  driveBack: 0,
  early: 0,
  again: 0,
  secondProcess: 0,
};

const STORMY: Troubles = {
  deathAtAwait: 0.02,
  deathOnTheLine: 0.001,
  commitFailure: 0.006,
  commitStall: 0.006,
  faultAtRegistering: 0.08,
  faultAtQuestion: 0.002,
  damage: 0.001,
  delay: 0.0005,
  cut: 0.0003,
  powerCut: 0.0002,
  clockJump: 0.01,
  oldNumber: 0.1,
  dayPasses: 0.01,
  driveBack: 0.1,
  early: 0.3,
  again: 0.1,
  secondProcess: 0.01,
};

/**
 * Each storm has all kinds of trouble. In most storms one or a few kinds come much more often than usual, which shows faults that the other
 * kinds hide.
 */
const STORMS: readonly Troubles[] = [
  STORMY,
  { ...STORMY, deathAtAwait: 0.05, deathOnTheLine: 0.004 },
  { ...STORMY, deathAtAwait: 0.01, deathOnTheLine: 0.0005, damage: 0.006, delay: 0.002, cut: 0.002 },
  { ...STORMY, deathAtAwait: 0.003, deathOnTheLine: 0.0002, damage: 0.03, delay: 0.02, cut: 0.0005 },
  { ...STORMY, faultAtRegistering: 0.3, powerCut: 0.001, faultAtQuestion: 0.006, oldNumber: 0.4 },
  { ...STORMY, commitFailure: 0.03, commitStall: 0.03 },
  STORMY,
];

export function stormOf(chance: SeededChance): Troubles {
  return chance.pick(STORMS);
}

/** A supervisor starts the process again within this time. */
export const LONGEST_ABSENCE_MS = 20_000;
/** A person finds the plug, the cable or a new roll of paper within this time. */
export const LONGEST_POWER_CUT_MS = 40_000;
/** A person puts the right drive in again within this time. It is short enough for most cashiers, who try again meanwhile. */
export const LONGEST_DRIVE_BACK_MS = 20_000;
/** The largest number of documents that an earlier copy of a drive lacks. */
export const MOST_FORGOTTEN = 3;
/** The longest pause of a device in its work: longer than the platform waits, shorter than the server does. */
export const LONGEST_HESITATION_MS = 30_000;
/** The largest jump of a clock. A time server corrects a clock by seconds, a person by minutes. */
export const LONGEST_JUMP_MS = 180_000;
/** The longest commit, for example of a database that writes to a full disk or fails over. */
export const LONGEST_STALL_MS = 15_000;
/** A network sends a lost segment again within this time. */
export const LONGEST_DELAY_MS = 2_500;
/** Longer than a shift may be open. */
export const DAY_MS = 25 * 3_600_000;
