import type { ProfileName } from "./caller/names.ts";

/** Choices where the documents differ (json-api 16). The defaults follow the decisions there. `--set NAME=VALUE` changes one. */
export interface SandboxSettings {
  /** D39: webhooks and permanent links need a paid plan. */
  plan: "paid" | "free";
  /** D3: whether `Accept: application/json` needs its charset. */
  accept: "lenient" | "strict";
  /** D4: whether answers have milliseconds when the request does not ask for them. */
  alwaysMilliseconds: boolean;
  /**
   * D13: the status of a mass answer with failures. `family`: 400 or 412, depending on the codes of the failures. `200`: always 200, as in
   * the OpenAPI file.
   */
  massStatus: "family" | "200";
  /** D18: the pair (entityType, action) is unique, or the triple (entityType, action, url), with at most five for a pair. */
  webhookUniqueness: "pair" | "triple";
  /** D1: the version in the header `User-Agent` of notifications. */
  webhookAgent: "1.0" | "2.0";
  /** Whether webhooks of one version are visible in the other versions. */
  webhookVersions: "common" | "separate";
  /** json-api 2: the day (YYYY-MM-DD) on which 1.0 and 1.1 are withdrawn. Their answers announce it before. */
  oldVersionsEnd: string;
  /** D20: whether a time-out is one failed attempt, or ends the delivery. */
  webhookTimeout: "retry" | "drop";
  /** D25: whether a point of sale may have only one open shift. */
  singleOpenShift: boolean;
  /** D32: whether the point of sale's rules for returns are enforced. */
  enforceReturnFlags: boolean;
  /** D9: whether a filter may use `syncId`. */
  filterBySyncId: boolean;
  /** D11: unknown fields of a body are ignored, or refused with 1007. */
  unknownFields: "ignore" | "refuse";
  /** json-api 7.1: whether the company has a recycle bin. Without it, a request that uses it is refused with 1067. */
  recycleBin: boolean;
  /** json-api 7.1: whether the company demands unique codes of goods. */
  uniqueCodes: boolean;
  /** json-api 4: whether a request without `Accept-Encoding: gzip` is refused with 415. */
  gzip: "demanded" | "optional";
  /** Interface 6: the unit of prices and payments in fiscal requests. The documents do not state it. */
  fiscalMoneyScale: "1" | "100";
  /** D37: the delay of the stock report after a document. */
  stockDelayMs: number;
  /** D23: the units of the rate limit that one request of a user or a solution costs. */
  userWeight: number;
  solutionWeight: number;
}

const CANONICAL: SandboxSettings = {
  plan: "paid",
  accept: "lenient",
  alwaysMilliseconds: false,
  massStatus: "family",
  webhookUniqueness: "pair",
  webhookAgent: "1.0",
  webhookVersions: "common",
  oldVersionsEnd: "never",
  webhookTimeout: "retry",
  singleOpenShift: false,
  enforceReturnFlags: false,
  filterBySyncId: false,
  unknownFields: "ignore",
  recycleBin: true,
  uniqueCodes: false,
  gzip: "demanded",
  fiscalMoneyScale: "1",
  stockDelayMs: 0,
  userWeight: 1,
  solutionWeight: 1,
};

/** Settings in which the live service differs from the seed (json-api 16). */
const PRODUCTION = {
  accept: "strict",
  alwaysMilliseconds: true,
  webhookAgent: "2.0",
  webhookUniqueness: "triple",
} as const satisfies Partial<SandboxSettings>;

/** Returns the default settings: the rules of the seed. The production profile replaces some of them with the rules of the live service. */
export function defaultSettings(profile: ProfileName): SandboxSettings {
  return profile === "production" ? { ...CANONICAL, ...PRODUCTION } : CANONICAL;
}
