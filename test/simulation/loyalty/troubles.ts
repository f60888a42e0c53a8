import type { SeededChance } from "../seeded-chance.ts";
import { CALM as CALM_SERVER, type Troubles } from "../troubles.ts";

/** How often things go wrong with loyalty: shares of the occasions at which they can. */
export interface LoyaltyTroubles {
  /** Of the processes and their database. */
  server: Troubles;
  /** At a statement within a transaction, of which an operation has many. */
  deathAtStatement: number;
  /** Of the answers: the till never gets them, and asks again. */
  lostAnswer: number;
  /** Of the calls: made twice at once, by a network or a person in a hurry. */
  doubled: number;
  /** Of the documents that were taken: sent once more, as they were or with other content. */
  repeated: number;
  otherContent: number;
  /** Of the pauses between two operations of a till: days pass. */
  daysPass: number;
  /** Of the processes: the clock of the machine is off. */
  clockOff: number;
}

export const CALM: LoyaltyTroubles = {
  server: CALM_SERVER,
  deathAtStatement: 0,
  lostAnswer: 0,
  doubled: 0,
  repeated: 0,
  otherContent: 0,
  daysPass: 0,
  clockOff: 0,
};

const STORMY: LoyaltyTroubles = {
  server: { ...CALM_SERVER, deathAtAwait: 0.02, commitFailure: 0.02, commitStall: 0.02 },
  deathAtStatement: 0.005,
  lostAnswer: 0.1,
  doubled: 0.1,
  repeated: 0.15,
  otherContent: 0.05,
  daysPass: 0.1,
  clockOff: 0.3,
};

/** Storms of one kind show what a storm of all hides. */
const STORMS: readonly LoyaltyTroubles[] = [
  STORMY,
  { ...STORMY, server: { ...STORMY.server, deathAtAwait: 0.05 }, deathAtStatement: 0.02 },
  { ...CALM, repeated: 0.2, otherContent: 0.1, daysPass: 0.05 },
  { ...CALM, daysPass: 0.3, clockOff: 1, doubled: 0.1 },
  { ...CALM, lostAnswer: 0.4, doubled: 0.4, repeated: 0.3, daysPass: 0.05 },
  { ...STORMY, server: { ...STORMY.server, commitFailure: 0.1, commitStall: 0.1 } },
];

export function stormOf(chance: SeededChance): LoyaltyTroubles {
  return chance.pick(STORMS);
}

/** A supervisor starts the process again within this. */
export const LONGEST_ABSENCE_MS = 20_000;
/** The wall clock of a machine is never further off than this. */
export const LONGEST_OFF_MS = 120_000;
/** Somebody comes back after so many days at most: longer than points live, and at times longer than a tier is kept. */
export const DAYS_AWAY = [1, 1, 2, 5, 20, 400] as const;
