import type { SeededChance } from "../seeded-chance.ts";
import { CALM as CALM_SERVER, type Troubles } from "../troubles.ts";

/** How often things go wrong with loyalty. Each number is a share of the occasions. */
export interface LoyaltyTroubles {
  /** Troubles of the processes and their database. */
  server: Troubles;
  /** Deaths at a statement within a transaction. An operation has many statements. */
  deathAtStatement: number;
  /** Share of answers that the till never gets. It asks again. */
  lostAnswer: number;
  /** Share of calls that are made twice at once, by a network or a person in a hurry. */
  doubled: number;
  /** Share of accepted documents that are sent once more, unchanged or with other content. */
  repeated: number;
  otherContent: number;
  /** Share of the pauses between two operations of a till in which days pass. */
  daysPass: number;
  /** Share of processes whose machine has a wrong clock. */
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

/** A storm with a few kinds of trouble shows faults that a storm with all kinds hides. */
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

/** A supervisor starts the process again within this time. */
export const LONGEST_ABSENCE_MS = 20_000;
/** The largest error of a machine's wall clock. */
export const LONGEST_OFF_MS = 120_000;
/**
 * The number of days after which a buyer comes back. Twenty days are often longer than points live, and 400 days are longer than a tier is
 * kept.
 */
export const DAYS_AWAY = [1, 1, 2, 5, 20, 400] as const;
