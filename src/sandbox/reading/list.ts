import type { Stored } from "../account/stored.ts";
import { refused } from "../api/refusal.ts";
import type { EntityType } from "../types/entity-type.ts";
import { type Condition, conditionText, readConditions } from "./filter/conditions.ts";
import { filterTests, operandOf } from "./filter/filter.ts";
import { refuseNamedFilter } from "./named-filter.ts";
import { readOrder, sortStored } from "./order.ts";
import { checkParameters } from "./parameters.ts";
import type { Reading } from "./reading.ts";
import { RANKS, searchRelevance } from "./search.ts";

/**
 * The objects of a type that a list request means (6.2–6.4), in its order; what the caller must not see is left out.
 * Without `order` they come in the order of their creation (D10), with `search` the better matches first. Throws a
 * `Refusal`.
 */
export function matching(type: EntityType, reading: Reading): readonly Stored[] {
  const { query } = reading.call;
  checkParameters(query, reading);
  refuseNamedFilter(query, reading);
  const conditions = readConditions(query.get("filter") ?? "");
  const keys = readOrder(query.get("order") ?? "", type);
  const found = membersOf(type, conditions, reading).map((member) => find(member, conditions, query.get("search") ?? "", reading));
  const [only = []] = found;
  // Of every member the best come before the better ones.
  const ranked = found.length === 1 ? only : Array.from({ length: RANKS }, (_, rank) => found.flatMap((ranks) => ranks[rank] ?? []));
  const [first = [], ...rest] = ranked;
  return reading.account.listed(sortStored(rest.every((others) => others.length === 0) ? first : ranked.flat(), keys, type));
}

/**
 * The types whose objects a list holds: its own, or those that it gathers. A gathered type that does not know a field
 * of the filter has nothing to give; a field that none knows is 1034.
 */
function membersOf(type: EntityType, conditions: readonly Condition[], reading: Reading): readonly EntityType[] {
  if (type.gathers === undefined) return [type];
  const members = type.gathers.flatMap((name) => reading.catalogue.get(name) ?? []);
  const knows = (member: EntityType, { key }: Condition) => operandOf(key, member, reading) !== undefined;
  const unknown = conditions.find((condition) => !members.some((member) => knows(member, condition)));
  if (unknown !== undefined) throw refused(1034, undefined, conditionText(unknown));
  return members.filter((member) => conditions.every((condition) => knows(member, condition)));
}

/** Objects of one type, by relevance; all of the first rank when nothing is searched for. */
function find(type: EntityType, conditions: readonly Condition[], search: string, reading: Reading): Stored[][] {
  const rows = reading.account.objects.rows(type.name);
  const tests = filterTests(conditions, type, rows, reading);
  const relevance = searchRelevance(search, type, rows);
  const ranks: Stored[][] = Array.from({ length: RANKS }, () => []);
  const { stored } = rows;
  places: for (let place = 0; place < stored.length; place += 1) {
    const each = stored[place];
    if (each === undefined) continue;
    for (const test of tests) if (!test(place)) continue places;
    if (type.visible?.(each, reading.call) === false) continue;
    const rank = relevance === undefined ? 0 : relevance(place);
    if (rank !== undefined) ranks[rank]?.push(each);
  }
  return ranks;
}
