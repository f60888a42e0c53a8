import type { SeededChance } from "./seeded-chance.ts";

/** How often things go wrong: shares of the occasions at which they can. */
export interface Troubles {
  /** At an await of the server that is none of a link's. */
  deathAtAwait: number;
  /** At an await of the driver on its link. */
  deathOnTheLine: number;
  /** A commit that fails, and one that takes its time. */
  commitFailure: number;
  commitStall: number;
  /** At a command that registers, and at any other. */
  faultAtRegistering: number;
  faultAtQuestion: number;
  /** Of messages on the cable. */
  damage: number;
  delay: number;
  cut: number;
  powerCut: number;
  /** Of the device's clock and of the server's, at an occasion of each. */
  clockJump: number;
  /** Of looks at the device after it has made something: its status repeats the number from before. */
  oldNumber: number;
  /** A day passes on the device's clock, at a document of the platform's. */
  dayPasses: number;
  /** Somebody puts an earlier copy of the drive into the device for a while, behind a document of the platform's. */
  driveBack: number;
  /** A cashier rings up before the shift is opened, and what was refused again later. */
  early: number;
  again: number;
  /** Somebody starts a second server on the same data, at a look at the invariants. */
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

/** Storms of one kind show what a storm of all hides: every third seed has all, the others mostly one. */
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

/** A supervisor starts the process again within this. */
export const LONGEST_ABSENCE_MS = 20_000;
/** A shopkeeper finds the plug, the cable or a new roll within this. */
export const LONGEST_POWER_CUT_MS = 40_000;
/** Somebody finds the right drive again within this: soon enough for most cashiers, who try again meanwhile. */
export const LONGEST_DRIVE_BACK_MS = 20_000;
/** Documents that an earlier copy of a drive lacks, at most. */
export const MOST_FORGOTTEN = 3;
/** A device that hesitates: longer than the platform waits, shorter than the server does. */
export const LONGEST_HESITATION_MS = 30_000;
/** A time server corrects a clock by seconds, a person by minutes. */
export const LONGEST_JUMP_MS = 180_000;
/** A database that flushes a full disk or fails over. */
export const LONGEST_STALL_MS = 15_000;
/** A network sends a lost segment again within this. */
export const LONGEST_DELAY_MS = 2_500;
/** Longer than a shift may be open. */
export const DAY_MS = 25 * 3_600_000;
