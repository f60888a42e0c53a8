import type { ConnectionResult } from "../../loyalty/connection/connections.ts";
import type { Acting, LoyaltyDesk } from "./services.ts";

type ProgrammeSet =
  | { kind: "set"; version: number; told: ConnectionResult }
  /** `place`: a path in the file; empty: the file as a whole. `reason`: in English words. */
  | { kind: "refused"; place: string; reason: string };

/** Stores the next version of a programme, and tells the platform when a value that it was told has changed. */
export async function setProgramme(
  { programmes, connections }: Pick<LoyaltyDesk, "programmes" | "connections">,
  { key, actor }: Acting,
  text: string,
): Promise<ProgrammeSet> {
  const change = await programmes.set(key, text, actor);
  return change.kind === "refused" ? change : { ...change, told: await connections.tell(key) };
}

/** The fields of a programme file with their default values (surface 8). */
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

/** Returns the programme in force as a file with all fields. `text`: the file as it was set. Undefined: none was set. */
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
