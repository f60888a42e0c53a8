import type { ProfileName } from "./caller/names.ts";

/** Choices where documents differ (reference 16); `--set NAME=VALUE`. Defaults follow the decisions. */
export interface SandboxSettings {
  /** D39: webhooks and permanent links need a paid plan. */
  plan: "paid" | "free";
  /** D3: whether `Accept: application/json` needs its charset. */
  accept: "lenient" | "strict";
  /** D4: milliseconds without being asked. */
  alwaysMilliseconds: boolean;
  /** D13: a mass answer with failures keeps its status, or is 200 as the OpenAPI file says. */
  massStatus: "family" | "200";
  /** D18: (entityType, action) is unique, or (entityType, action, url) with five a pair. */
  webhookUniqueness: "pair" | "triple";
  /** D1. */
  webhookAgent: "1.0" | "2.0";
  /** Whether a webhook of one version is seen by another (issue: listed under 1.2 too). */
  webhookVersions: "common" | "separate";
  /** Chapter 2: the day (YYYY-MM-DD) on which 1.0 and 1.1 are withdrawn, which their answers announce until then. */
  oldVersionsEnd: string;
  /** D20: a time-out counts as one failed attempt, or ends the delivery. */
  webhookTimeout: "retry" | "drop";
  /** D25. */
  singleOpenShift: boolean;
  /** D32. */
  enforceReturnFlags: boolean;
  /** D9. */
  filterBySyncId: boolean;
  /** D11: unknown body fields are ignored, or refused with 1007. */
  unknownFields: "ignore" | "refuse";
  /** 7.1: whether the company has a recycle bin; without one 1067. */
  recycleBin: boolean;
  /** 7.1: whether the company demands that the codes of goods differ. */
  uniqueCodes: boolean;
  /** Chapter 4: 415 without `Accept-Encoding: gzip`. */
  gzip: "demanded" | "optional";
  /** Interface 6: the unit of prices and payments on the fiscal path, which documents leave open. */
  fiscalMoneyScale: "1" | "100";
  /** D37: how late the stock report sees a document. */
  stockDelayMs: number;
  /** D23: units that one request of a caller costs. */
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

/** Where the live service does otherwise than the seed says (chapter 16). */
const PRODUCTION = {
  accept: "strict",
  alwaysMilliseconds: true,
  webhookAgent: "2.0",
  webhookUniqueness: "triple",
} as const satisfies Partial<SandboxSettings>;

/** What the settings are without being set: the seed's rules, or those of the live service where it has its own. */
export function defaultSettings(profile: ProfileName): SandboxSettings {
  return profile === "production" ? { ...CANONICAL, ...PRODUCTION } : CANONICAL;
}
