import type { InstallationKey } from "../../accounts/installation.ts";
import type { ConnectionResult } from "../../loyalty/connection/connections.ts";
import type { ProgrammeReading } from "../../loyalty/programme/read-programme.ts";
import type { Acting, LoyaltyDesk } from "./services.ts";

type ProgrammeSet = { kind: "set"; version: number; told: ConnectionResult } | Extract<ProgrammeReading, { kind: "refused" }>;

type ProgrammeReplaced =
  | ProgrammeSet
  /** Somebody else has set `version` meanwhile. Nothing was set. */
  | { kind: "overtaken"; version: number };

type Desk = Pick<LoyaltyDesk, "programmes" | "connections">;

/**
 * Stores the next version of a programme. Then sends the platform a changed `externalSearch`, or the programme's address if the platform
 * does not have it.
 */
export async function setProgramme({ programmes, connections }: Desk, { key, actor }: Acting, text: string): Promise<ProgrammeSet> {
  const change = await programmes.set(key, text, actor);
  return change.kind === "refused" ? change : { ...change, told: await connections.tell(key) };
}

/** Like `setProgramme`, for a person who saw version `seen`. Sets nothing when a newer version exists. */
export async function replaceProgramme(
  { programmes, connections }: Desk,
  { key, actor }: Acting,
  text: string,
  seen: number,
): Promise<ProgrammeReplaced> {
  const change = await programmes.replace(key, text, actor, seen);
  return change.kind === "set" ? { ...change, told: await connections.tell(key) } : change;
}

/** Returns the programme in force as a whole file, with its version. Version 0: none was set. */
export async function programmeFile(
  { services, programmes }: Pick<LoyaltyDesk, "services" | "programmes">,
  key: InstallationKey,
): Promise<{ version: number; file: Record<string, unknown> }> {
  await programmes.prepare(key);
  // The version is read before the text. If a newer version is set in between, saving with the older version is refused.
  const { version } = await services.store.read((db) => programmes.current(db, key));
  return { version, file: wholeFile(await programmes.text(key)) };
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

/** Returns the programme in force as a file with all fields. `text`: the stored file, undefined if none was set. */
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
