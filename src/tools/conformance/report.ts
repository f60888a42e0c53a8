import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import { asksServer } from "./catalogue.ts";
import type { Target } from "./play/target.ts";
import { type Group, type Rule, SOURCES, type Source } from "./rules/rule.ts";
import type { Judged, RunResult, Verdict } from "./run.ts";

/** The facts about a run, besides the verdicts. The reports for people and for programs show them. */
export interface RunFacts {
  target: Target;
  /** The kind of the run's `Permission`: `development-set`, `own-set` or `for-real`. */
  permission: string;
  sources: readonly Source[];
  drives: readonly string[];
  met: readonly string[];
}

const VERDICT_WORDS: Record<Verdict["kind"], string> = {
  held: "held",
  broken: "BROKEN",
  "not-run": "could not run",
  "not-applicable": "does not apply",
};
const VERDICT_NAMES: Record<Verdict["kind"], string> = {
  held: "held",
  broken: "broken",
  "not-run": "could-not-run",
  "not-applicable": "does-not-apply",
};
const LABEL_WIDTH = 10;
const SHOWN_DRIVES = 3;

/**
 * 0: all applicable rules are held. 1: a rule is broken. 2: no rule is broken, but a rule could not run, no rule was judged, or something
 * was left behind.
 */
export function exitCodeOf({ judged, left }: RunResult): 0 | 1 | 2 {
  if (countOf(judged, "broken") > 0) return 1;
  return countOf(judged, "not-run") > 0 || left.length > 0 || judged.length === 0 ? 2 : 0;
}

/**
 * Returns the lines of a rule. A broken rule gets details for the server's author. A rule that another rule stopped gets no line:
 * `tailLines` counts such rules.
 */
export function linesOf({ rule, verdict }: Judged, profile: PlatformProfile): string[] {
  const { expected, mend } = inWordsOf(profile, rule, verdict);
  const begin = `${VERDICT_WORDS[verdict.kind].padEnd(15)}${rule.id}`;
  const head = `${begin}: ${rule.title}`;
  switch (verdict.kind) {
    case "held":
      return [head];
    case "not-run":
      return verdict.behind === undefined ? [`${begin}: ${verdict.why}`] : [];
    case "not-applicable":
      return [`${begin}: ${verdict.why}`];
    case "broken":
      return [
        head,
        labelled("sent", verdict.sent),
        labelled("expected", expected),
        labelled("seen", verdict.seen),
        labelled("source", `${rule.source} (${rule.clause})`),
        labelled("to mend", mend),
      ];
  }
}

/**
 * Returns the lines of rules that could not run, then the lines of broken rules. Rules that another rule stopped get no line. Each reason
 * why rules could not run appears once, with the number of further rules.
 */
export function quietLines({ judged }: RunResult, profile: PlatformProfile): string[] {
  const broken = judged.filter(({ verdict }) => verdict.kind === "broken");
  const reasons = new Map<string, Judged[]>();
  for (const item of judged) {
    const { verdict } = item;
    if (verdict.kind === "not-run" && verdict.behind === undefined) reasons.set(verdict.why, [...(reasons.get(verdict.why) ?? []), item]);
  }
  const unknown = [...reasons.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    return others.length === 0
      ? linesOf(first, profile)
      : [...linesOf(first, profile), `    and ${others.length} more for the same reason`];
  });
  return [...unknown, ...broken.flatMap((item) => linesOf(item, profile))];
}

export function headLines({
  target,
  permission,
  sources,
  groups,
}: Pick<RunFacts, "target" | "permission" | "sources"> & { groups: readonly Group[] }): string[] {
  const { vendor, fiscal, qr, loyalty, descriptor, profile, solution } = target;
  const chosen = sources.length === SOURCES.length ? [] : [`only rules from ${sources.join(" and ")}`];
  if (!asksServer(groups)) return [`descriptor ${descriptor?.source}; profile ${profile.name}; no server is asked`, ...chosen, ""];
  return [
    `vendor contract at ${vendor === undefined ? "no known address" : vendor.origin + vendor.path}`,
    `fiscal contract at ${fiscal === undefined ? "no known address" : fiscal.origin + fiscal.path}`,
    groups.some(({ id }) => id.startsWith("qr/"))
      ? `QR contract at ${qr === undefined ? "no known address" : qr.origin + qr.path}`
      : "QR contract: its rules are left out (--jwks-port)",
    groups.some(({ id }) => id.startsWith("loyalty/"))
      ? `loyalty contract at ${loyalty === undefined ? "wherever the server says" : loyalty.origin + loyalty.path}`
      : "loyalty contract: its rules are left out (--loyalty-key, --only loyalty)",
    `descriptor ${descriptor?.source ?? "not given: its rules are left out"}; profile ${profile.name}; appId ${solution.appId}`,
    ...(descriptor === undefined
      ? ["assumed without a descriptor: all six operations, contracts at /vendor and /fiscal, cash, card and QR payments"]
      : []),
    ...chosen,
    PERMISSION_WORDS[permission] ?? permission,
    "",
  ];
}

const PERMISSION_WORDS: Record<string, string> = {
  "development-set": "registers only where the development set of credentials is in force, and only on drives of the debug series (9999…)",
  "own-set": "registers nothing: with credentials of your own only --registers-for-real allows it",
  "for-real": "REGISTERS FOR REAL: every document of this run is registered on whatever drive there is",
};

/**
 * Returns the last lines of the report. If a rule is broken and no JSON report was ordered, one line says that the JSON report has the
 * whole exchanges.
 */
export function tailLines(
  { judged, left }: RunResult,
  { drives, met, hasJson }: Pick<RunFacts, "drives" | "met"> & { hasJson: boolean },
): string[] {
  const counts = (Object.keys(VERDICT_WORDS) as Verdict["kind"][]).map(
    (kind) => `${countOf(judged, kind)} ${VERDICT_NAMES[kind].replaceAll("-", " ")}`,
  );
  const toMend = judged.filter(({ verdict }) => verdict.kind === "broken").map(({ rule }) => rule.id);
  return [
    ...behindLines(judged),
    ...(toMend.length === 0 ? [] : [`to mend, in this order: ${toMend.join(", ")}`]),
    ...(toMend.length === 0 || hasJson ? [] : ["the whole requests and answers are in the report of --json FILE"]),
    ...left.map((words) => `left behind: ${words}`),
    ...met.map((words) => `another run: ${words}`),
    `drives that answered: ${drives.length === 0 ? "none" : someOf(drives)}`,
    `${judged.length} rules: ${counts.join(", ")}`,
  ];
}

/** Returns a line for each rule that stopped other rules. The line gives the number of the stopped rules. */
function behindLines(judged: readonly Judged[]): string[] {
  const counts = new Map<string, number>();
  for (const { verdict } of judged) {
    if (verdict.kind === "not-run" && verdict.behind !== undefined) counts.set(verdict.behind, (counts.get(verdict.behind) ?? 0) + 1);
  }
  return [...counts].map(([root, count]) => `${count} ${count === 1 ? "rule" : "rules"} could not run behind ${root}: mend that first`);
}

/** Returns the report for programs. */
export function jsonReport(result: RunResult, { target, permission, sources, drives, met }: RunFacts): object {
  const { vendor, fiscal, qr, loyalty, descriptor, profile, solution } = target;
  return {
    exitCode: exitCodeOf(result),
    target: {
      ...(vendor === undefined ? {} : { vendor: vendor.origin + vendor.path }),
      ...(fiscal === undefined ? {} : { fiscal: fiscal.origin + fiscal.path }),
      ...(qr === undefined ? {} : { qr: qr.origin + qr.path }),
      ...(loyalty === undefined ? {} : { loyalty: loyalty.origin + loyalty.path }),
      ...(descriptor === undefined ? {} : { descriptor: descriptor.source }),
      profile: profile.name,
      appId: solution.appId,
    },
    permission,
    sources,
    drives,
    left: result.left,
    met,
    counts: Object.fromEntries(
      (Object.keys(VERDICT_NAMES) as Verdict["kind"][]).map((kind) => [VERDICT_NAMES[kind], countOf(result.judged, kind)]),
    ),
    rules: result.judged.map((judged) => jsonOf(judged, profile)),
  };
}

function jsonOf({ group, rule, verdict }: Judged, profile: PlatformProfile): object {
  const { id, title, source, clause } = rule;
  const { kind, ...details } = verdict;
  const words = inWordsOf(profile, rule, verdict);
  return { id, group, verdict: VERDICT_NAMES[kind], title, source, clause, ...details, ...words };
}

/** The texts of rules contain canonical names of headers and paths. Replaces them with the names in the examined server's profile. */
function inWordsOf(profile: PlatformProfile, { expected, mend }: Rule, verdict: Verdict): Pick<Rule, "expected" | "mend"> {
  const { headers, vendorSegment, descriptorNamespace, baseUrl } = profile;
  const named = (text: string) =>
    text
      .replaceAll("X-Platform-Fiscal-Signature", headers.fiscalSignature)
      .replaceAll("X-Platform-Fiscal-Account-Id", headers.fiscalAccountId)
      .replaceAll("Platform-Discount-API-Auth-Token", headers.loyaltyToken)
      .replaceAll("X_Platform_RequestId", headers.requestId)
      .replaceAll("/api/platform/", `/api/${vendorSegment}/`)
      .replaceAll("{descriptor_ns}", descriptorNamespace)
      .replaceAll("{base_url}", baseUrl);
  return { expected: named(expected), mend: named((verdict.kind === "broken" ? verdict.mend : undefined) ?? mend) };
}

function countOf(judged: readonly Judged[], kind: Verdict["kind"]): number {
  return judged.filter(({ verdict }) => verdict.kind === kind).length;
}

function labelled(label: string, text: string): string {
  return `    ${label.padEnd(LABEL_WIDTH)}${text}`;
}

/** Names only the first drives, because a server with an emulator for each point of sale has many. */
function someOf(drives: readonly string[]): string {
  const shown = drives.slice(0, SHOWN_DRIVES).join(", ");
  return drives.length > SHOWN_DRIVES ? `${shown} and ${drives.length - SHOWN_DRIVES} more` : shown;
}
