import type { ConnectionResult } from "../../loyalty/connection/connections.ts";
import type { Acting, LoyaltyDesk } from "./services.ts";

type ProgrammeSet =
  | { kind: "set"; version: number; told: ConnectionResult }
  /** `place`: a path in the file; empty: the file as a whole. `reason`: in English words. */
  | { kind: "refused"; place: string; reason: string };

/** Sets the next version of a programme, and tells the platform where what it was told before has changed. */
export async function setProgramme(
  { programmes, connections }: Pick<LoyaltyDesk, "programmes" | "connections">,
  { key, actor }: Acting,
  text: string,
): Promise<ProgrammeSet> {
  const change = await programmes.set(key, text, actor);
  return change.kind === "refused" ? change : { ...change, told: await connections.tell(key) };
}

/** The names and values of a programme file in which everything has its default (surface 8). */
const DEFAULT_FILE = {
  name: "",
  pointValueKopecks: 100,
  earnPercent: 5,
  earnOnPoints: false,
  earnWhileSpending: true,
  rounding: "down",
  spend: { sharePercent: 50, leastMoneyKopecks: 0, step: 1, excluded: [] },
  activation: { kind: "at-once" },
  expiry: { kind: "never" },
  returns: { giveBack: true, expired: "grace", graceDays: 14, clawBack: true, debt: "remember" },
  verification: { newCustomer: false, spending: "never" },
  tiers: [],
  rules: [],
  externalSearch: false,
  enrolOnSight: false,
  neverBlockSales: true,
} as const;

/** The programme in force as a file in which every name stands. `text`: as it was set; undefined: it never was. */
export function wholeFile(text: string | undefined): Record<string, unknown> {
  const set: Record<string, unknown> = text === undefined ? {} : JSON.parse(text);
  return Object.fromEntries(
    Object.entries(DEFAULT_FILE).map(([name, byDefault]) => {
      const given = set[name];
      if (given === undefined) return [name, byDefault];
      const isNested = name === "spend" || name === "returns" || name === "verification";
      return [name, isNested && typeof byDefault === "object" ? { ...byDefault, ...(given as object) } : given];
    }),
  );
}
