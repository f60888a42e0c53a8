import type { ProfileName } from "./caller/names.ts";

/**
 * Settings for what the documents leave open or contradict. A number such as D39 is a decision in json-api 16.
 * `--plan` sets `plan`, `--set NAME=VALUE` sets any other setting.
 */
export interface SandboxSettings {
  /** json-api D39: the account's plan. Webhooks and permanent links need the paid plan. The free plan allows fewer points of sale. */
  plan: "paid" | "free";
  /** json-api D3: whether `Accept: application/json` needs the charset. */
  accept: "lenient" | "strict";
  /** json-api D4: whether answers have milliseconds when the request does not ask for them. */
  alwaysMilliseconds: boolean;
  /**
   * json-api D13: the status of a mass answer with failures. `family`: 400 or 412, by the codes of the failures. `200`: always 200, as in
   * the OpenAPI file.
   */
  massStatus: "family" | "200";
  /**
   * json-api D18: what must be unique among webhooks. `pair`: (entityType, action). `triple`: (entityType, action, url), with a maximum
   * number for each pair.
   */
  webhookUniqueness: "pair" | "triple";
  /** json-api D1: the version in the `User-Agent` header of notifications. */
  webhookAgent: "1.0" | "2.0";
  /** json-api 9.1: whether a webhook of one API version is visible in all versions (`common`) or only in its own (`separate`). */
  webhookVersions: "common" | "separate";
  /** json-api 2: the day (YYYY-MM-DD) when versions 1.0 and 1.1 are withdrawn, or `never`. Answers of these versions announce the day. */
  oldVersionsEnd: string;
  /** json-api D20: whether a time-out counts as one failed attempt (`retry`) or ends the delivery (`drop`). */
  webhookTimeout: "retry" | "drop";
  /** json-api D25: whether a point of sale may have only one open shift. */
  singleOpenShift: boolean;
  /** json-api D32: whether the point of sale's rules for returns are enforced. */
  enforceReturnFlags: boolean;
  /** json-api D9: whether a filter may use `syncId`. */
  filterBySyncId: boolean;
  /** json-api D11: whether unknown body fields and query parameters are ignored, or refused with 1007 and 1040. */
  unknownFields: "ignore" | "refuse";
  /** json-api 7.1: whether the company has a recycle bin. Without a bin, its use is refused with 1067. */
  recycleBin: boolean;
  /** json-api 7.1: whether the company demands unique codes for goods. */
  uniqueCodes: boolean;
  /** json-api 4: whether a request without `Accept-Encoding: gzip` is refused with 415. */
  gzip: "demanded" | "optional";
  /**
   * interface 6: the unit of prices and payments in fiscal requests: roubles (1) or kopecks (100). The platform's documents do not state
   * it.
   */
  fiscalMoneyScale: "1" | "100";
  /** json-api D37: delay in ms between a change of a document and its effect in stock reports. */
  stockDelayMs: number;
  /** json-api D23: the rate limit units that one request of a user or a solution costs. */
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

/** The settings in which the live service differs from the documents (json-api 16). */
const PRODUCTION = {
  accept: "strict",
  alwaysMilliseconds: true,
  webhookAgent: "2.0",
  webhookUniqueness: "triple",
} as const satisfies Partial<SandboxSettings>;

/** Returns the documented defaults. The production profile overrides some of them with the behaviour of the live service. */
export function defaultSettings(profile: ProfileName): SandboxSettings {
  return profile === "production" ? { ...CANONICAL, ...PRODUCTION } : CANONICAL;
}
