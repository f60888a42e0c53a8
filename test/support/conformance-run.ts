import { onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { GROUPS, needsOf, select, without } from "../../src/tools/conformance/catalogue.ts";
import { type ConformanceOptions, examine } from "../../src/tools/conformance/conformance.ts";
import { descriptorFile } from "../../src/tools/conformance/descriptor/read.ts";
import { basesOf } from "../../src/tools/conformance/play/target.ts";
import type { Group } from "../../src/tools/conformance/rules/rule.ts";
import type { Judged } from "../../src/tools/conformance/run.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { makeSigningKey } from "../../src/tools/sandbox/caller/signing-key.ts";
import { type Break, Double } from "./double-server.ts";
import { DOUBLE_APP } from "./double-vendor.ts";

/** Made once, because thousands of requests are signed. Neighbouring accounts get different keys. */
const KEYS = [makeSigningKey(), makeSigningKey(), makeSigningKey()] as const;
let keysGiven = 0;

export function someKey() {
  keysGiven += 1;
  return KEYS[keysGiven % KEYS.length] ?? KEYS[0];
}

export interface ExaminedDouble {
  judged: readonly Judged[];
  left: readonly string[];
  drives: readonly string[];
  met: readonly string[];
  double: Double;
}

export type ExamineChange = Partial<
  Pick<ConformanceOptions, "groups" | "permission" | "limits" | "signal" | "done" | "makeKey" | "qr" | "loyalty">
> & {
  descriptor?: string;
  ownCredentials?: boolean;
  sharedRegister?: boolean;
  /** A server that was examined before, broken as it was then. */
  double?: Double;
};

/**
 * Examines a server that is broken as told, or a right one. Without a choice the rules are those of all contracts except QR payment and
 * loyalty.
 */
export async function examineDouble(broken?: Break, change: ExamineChange = {}): Promise<ExaminedDouble> {
  const {
    descriptor: text,
    ownCredentials = false,
    sharedRegister = false,
    double = new Double(broken, { sharedRegister }),
    ...options
  } = change;
  const base = await double.open();
  onTestFinished(() => double.close());
  const descriptor = text === undefined ? undefined : descriptorFile("descriptor.xml", text);
  const examined = await examine({
    target: {
      solution: { ...DOUBLE_APP, names: PLATFORM_NAMES.canonical },
      ownCredentials,
      profile: PLATFORM_PROFILES.canonical,
      descriptor,
      ...basesOf(base, descriptor),
    },
    groups: without("loyalty", without("qr")),
    permission: "development-set",
    port: 0,
    clock: systemClock,
    signal: new AbortController().signal,
    makeKey: someKey,
    qr: { port: 0, issuer: PLATFORM_NAMES.canonical.qrIssuer, paying: "amounts" },
    listening: (base, keys) => {
      double.qr.jwks = keys ?? "";
      const { groups = [] } = options;
      double.loyalty.platform = groups.some(({ id }) => id.startsWith("loyalty/")) ? base : "";
    },
    ...options,
  });
  if (examined.kind === "unreachable") throw new Error(examined.why);
  const { result, facts } = examined;
  return { ...result, drives: facts.drives, met: facts.met, double };
}

/** The whole group of the rule, with the groups that its rules need. */
export function groupWith(id: string): Group[] {
  const group = GROUPS.find(({ rules }) => rules.some((rule) => rule.id === id));
  return group === undefined ? [] : (select(group.id) ?? []);
}

/** The ids of the rules that need this rule, directly or through other rules. */
export function dependantsOf(id: string): Set<string> {
  const found = new Set<string>();
  for (const group of GROUPS) {
    for (const rule of group.rules) {
      if (needsOf(group, rule).some((needed) => needed === id || found.has(needed))) found.add(rule.id);
    }
  }
  return found;
}
