import { accessGroup } from "./rules/descriptor/access.ts";
import { envelopeGroup } from "./rules/descriptor/envelope.ts";
import { interfacesGroup } from "./rules/descriptor/interfaces.ts";
import { windowsGroup } from "./rules/descriptor/windows.ts";
import { accountsGroup } from "./rules/fiscal/accounts.ts";
import { amountsGroup } from "./rules/fiscal/amounts.ts";
import { answersGroup } from "./rules/fiscal/answer-rules.ts";
import { contentGroup } from "./rules/fiscal/content.ts";
import { drawerGroup } from "./rules/fiscal/drawer.ts";
import { errorsGroup } from "./rules/fiscal/errors.ts";
import { keysGroup } from "./rules/fiscal/keys.ts";
import { pathsGroup } from "./rules/fiscal/paths.ts";
import { repeatsGroup } from "./rules/fiscal/repeats.ts";
import { requiredGroup } from "./rules/fiscal/required.ts";
import { shiftsGroup } from "./rules/fiscal/shifts.ts";
import { signaturesGroup } from "./rules/fiscal/signatures.ts";
import { timingGroup } from "./rules/fiscal/timing.ts";
import { toleranceGroup } from "./rules/fiscal/tolerance.ts";
import { varietiesGroup } from "./rules/fiscal/varieties.ts";
import { vatGroup } from "./rules/fiscal/vat.ts";
import { loyaltyCodesGroup, loyaltyCustomersGroup, loyaltyGiftCardsGroup } from "./rules/loyalty/customers.ts";
import { loyaltyKeysGroup } from "./rules/loyalty/keys.ts";
import { loyaltyPointsGroup } from "./rules/loyalty/points.ts";
import { loyaltyQuotesGroup } from "./rules/loyalty/quotes.ts";
import { loyaltyBodiesGroup, loyaltyErrorsGroup, loyaltyPathsGroup } from "./rules/loyalty/requests.ts";
import { loyaltyRequiredGroup } from "./rules/loyalty/required.ts";
import { loyaltyReturnsGroup } from "./rules/loyalty/returns.ts";
import { loyaltySalesGroup } from "./rules/loyalty/sales.ts";
import { qrAmountsGroup } from "./rules/qr/amounts.ts";
import { qrErrorsGroup } from "./rules/qr/errors.ts";
import { qrPaidGroup } from "./rules/qr/paid.ts";
import { qrAccountsGroup, qrCancelGroup, qrCreateGroup, qrStateGroup } from "./rules/qr/payments.ts";
import { qrBodiesGroup, qrPathsGroup, qrRequiredGroup } from "./rules/qr/requests.ts";
import { qrKeysGroup, qrTokensGroup } from "./rules/qr/tokens.ts";
import type { Group, Rule, Source } from "./rules/rule.ts";
import { activationGroup } from "./rules/vendor/activation.ts";
import { bodiesGroup } from "./rules/vendor/bodies.ts";
import { deactivationGroup } from "./rules/vendor/deactivation.ts";
import { eventsGroup } from "./rules/vendor/events.ts";
import { ownCallsGroup } from "./rules/vendor/own-calls.ts";
import { tokensGroup } from "./rules/vendor/tokens.ts";

/** All groups, in the order of a run. A rule comes after the rules that it needs. */
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
  qrErrorsGroup,
  qrTokensGroup,
  qrPathsGroup,
  qrBodiesGroup,
  qrRequiredGroup,
  qrCreateGroup,
  qrStateGroup,
  qrAmountsGroup,
  qrCancelGroup,
  qrAccountsGroup,
  qrPaidGroup,
  qrKeysGroup,
  loyaltyKeysGroup,
  loyaltyErrorsGroup,
  loyaltyPathsGroup,
  loyaltyBodiesGroup,
  loyaltyRequiredGroup,
  loyaltyCustomersGroup,
  loyaltyCodesGroup,
  loyaltyQuotesGroup,
  loyaltySalesGroup,
  loyaltyPointsGroup,
  loyaltyReturnsGroup,
  loyaltyGiftCardsGroup,
];

/** Returns the ids in `needs` of the rule and of its group. */
export function needsOf(group: Group, rule: Rule): readonly string[] {
  return [...(group.needs ?? []), ...(rule.needs ?? [])];
}

/**
 * Returns the groups with only the chosen rules and their needed rules. `only`: the id of one rule, or the first parts of several ids
 * (`fiscal`, `fiscal/repeat`). Undefined: no such rule.
 */
export function select(only: string, groups: readonly Group[] = GROUPS): Group[] | undefined {
  const wanted = new Set(groups.flatMap(({ rules }) => rules.map(({ id }) => id).filter((id) => id === only || id.startsWith(`${only}/`))));
  if (wanted.size === 0) return undefined;
  // The groups are visited backwards, because a needed rule stands before the rules that need it.
  for (const group of groups.toReversed()) {
    for (const rule of group.rules.toReversed()) {
      if (wanted.has(rule.id)) for (const needed of needsOf(group, rule)) wanted.add(needed);
    }
  }
  return kept(groups, (rule) => wanted.has(rule.id));
}

/** Returns the groups without the rules of a contract. */
export function without(contract: string, groups: readonly Group[] = GROUPS): Group[] {
  return kept(groups, (rule) => !rule.id.startsWith(`${contract}/`));
}

/**
 * Returns the groups with only the rules of these sources. A rule needs only rules of the same or a stronger source, so `seed` alone, or
 * `seed` and `public`, keep every needed rule.
 */
export function ofSources(sources: readonly Source[], groups: readonly Group[] = GROUPS): Group[] {
  return kept(groups, ({ source }) => sources.includes(source));
}

/** Whether these groups send requests to the server. The descriptor's rules only read a file. */
export function asksServer(groups: readonly Group[]): boolean {
  return groups.some(({ id }) => !id.startsWith("descriptor/"));
}

function kept(groups: readonly Group[], keep: (rule: Rule) => boolean): Group[] {
  return groups.map((group) => ({ ...group, rules: group.rules.filter(keep) })).filter(({ rules }) => rules.length > 0);
}
