import { accessGroup } from "./descriptor/access.ts";
import { envelopeGroup } from "./descriptor/envelope.ts";
import { interfacesGroup } from "./descriptor/interfaces.ts";
import { windowsGroup } from "./descriptor/windows.ts";
import { accountsGroup } from "./fiscal/accounts.ts";
import { amountsGroup } from "./fiscal/amounts.ts";
import { answersGroup } from "./fiscal/answer-rules.ts";
import { contentGroup } from "./fiscal/content.ts";
import { drawerGroup } from "./fiscal/drawer.ts";
import { errorsGroup } from "./fiscal/errors.ts";
import { keysGroup } from "./fiscal/keys.ts";
import { pathsGroup } from "./fiscal/paths.ts";
import { repeatsGroup } from "./fiscal/repeats.ts";
import { requiredGroup } from "./fiscal/required.ts";
import { shiftsGroup } from "./fiscal/shifts.ts";
import { signaturesGroup } from "./fiscal/signatures.ts";
import { timingGroup } from "./fiscal/timing.ts";
import { toleranceGroup } from "./fiscal/tolerance.ts";
import { varietiesGroup } from "./fiscal/varieties.ts";
import { vatGroup } from "./fiscal/vat.ts";
import type { Group, Rule, Source } from "./rule.ts";
import { activationGroup } from "./vendor/activation.ts";
import { bodiesGroup } from "./vendor/bodies.ts";
import { deactivationGroup } from "./vendor/deactivation.ts";
import { eventsGroup } from "./vendor/events.ts";
import { ownCallsGroup } from "./vendor/own-calls.ts";
import { tokensGroup } from "./vendor/tokens.ts";

/** Every group in the order of a run: a rule comes after those that it needs. A new contract adds its groups here. */
export const GROUPS: readonly Group[] = [
  envelopeGroup,
  interfacesGroup,
  accessGroup,
  windowsGroup,
  activationGroup,
  tokensGroup,
  bodiesGroup,
  deactivationGroup,
  eventsGroup,
  errorsGroup,
  signaturesGroup,
  pathsGroup,
  accountsGroup,
  keysGroup,
  answersGroup,
  requiredGroup,
  contentGroup,
  toleranceGroup,
  varietiesGroup,
  shiftsGroup,
  amountsGroup,
  vatGroup,
  drawerGroup,
  repeatsGroup,
  timingGroup,
  ownCallsGroup,
];

/** Rules that this one says nothing without: its group's and its own. */
export function needsOf(group: Group, rule: Rule): readonly string[] {
  return [...(group.needs ?? []), ...(rule.needs ?? [])];
}

/**
 * The groups that hold the rule of that id, or all rules below it (`fiscal`, `fiscal/repeat`), and whatever
 * they need; undefined when there is no such rule.
 */
export function select(only: string, groups: readonly Group[] = GROUPS): Group[] | undefined {
  const wanted = new Set(groups.flatMap(({ rules }) => rules.map(({ id }) => id).filter((id) => id === only || id.startsWith(`${only}/`))));
  if (wanted.size === 0) return undefined;
  // Backwards: what a rule needs stands before it.
  for (const group of groups.toReversed()) {
    for (const rule of group.rules.toReversed()) {
      if (wanted.has(rule.id)) for (const needed of needsOf(group, rule)) wanted.add(needed);
    }
  }
  return kept(groups, (rule) => wanted.has(rule.id));
}

/** The groups without the rules of a contract. */
export function without(contract: string, groups: readonly Group[] = GROUPS): Group[] {
  return kept(groups, (rule) => !rule.id.startsWith(`${contract}/`));
}

/** The rules that come from these sources alone. What a rule needs comes from one that is as good or better. */
export function ofSources(sources: readonly Source[], groups: readonly Group[] = GROUPS): Group[] {
  return kept(groups, ({ source }) => sources.includes(source));
}

/** The descriptor's rules read a file: they need no server, and nobody who listens to one. */
export function asksServer(groups: readonly Group[]): boolean {
  return groups.some(({ id }) => !id.startsWith("descriptor/"));
}

function kept(groups: readonly Group[], keep: (rule: Rule) => boolean): Group[] {
  return groups.map((group) => ({ ...group, rules: group.rules.filter(keep) })).filter(({ rules }) => rules.length > 0);
}
