import type { Rows } from "../account/rows.ts";
import type { EntityType, Reading } from "../types/entity-type.ts";
import type { Stored } from "../values/stored.ts";
import { readConditions } from "./filter/conditions.ts";
import { filterTest } from "./filter/filter.ts";
import type { PlaceTest } from "./filter/predicate.ts";
import { refuseNamedFilter } from "./named-filter.ts";
import { readOrder, sortStored } from "./order.ts";
import { checkParameters } from "./parameters.ts";
import { RANKS, searchRelevance } from "./search.ts";

/**
 * Returns the objects of a list request (json-api 6.2–6.4), without objects hidden from the caller. `order` sorts them. The default is the
 * order of creation (json-api D10), with better matches of `search` first. Throws a `Refusal` for an invalid parameter.
 */
export function matching(type: EntityType, reading: Reading, asked?: ListQuestion): readonly Stored[] {
  const { query } = reading.call;
  checkParameters(query, reading);
  refuseNamedFilter(query, reading);
  const question = asked ?? usualQuestion(type, reading);
  const keys = readOrder(query.get("order") ?? "", type);
  const ranks: Stored[][] = Array.from({ length: RANKS }, () => []);
  // A list of several types has a separate test for each type.
  for (const member of type.gathers ?? [type.name]) collect(type, member, question, ranks, reading);
  const [best = [], ...others] = ranks;
  const found = others.every(({ length }) => length === 0) ? best : ranks.flat();
  return sortStored(reading.account.listed(found), keys, type);
}

/** The criteria of a list: a test for each type, and the searched text. */
interface ListQuestion {
  /** Returns the test for objects of `member`, a listed type. Undefined: the list has none of them. */
  testOf(member: string, rows: Rows): PlaceTest | undefined;
  readonly search: string;
}

function usualQuestion(type: EntityType, reading: Reading): ListQuestion {
  const { query } = reading.call;
  const conditions = readConditions(query.get("filter") ?? "");
  return { testOf: (_member, rows) => filterTest(conditions, type, rows, reading), search: query.get("search") ?? "" };
}

/** Adds the objects of one type to the ranks of relevance. Without a search, all have the first rank. */
function collect(type: EntityType, member: string, question: ListQuestion, ranks: Stored[][], reading: Reading): void {
  const rows = reading.account.objects.rows(member);
  const test = question.testOf(member, rows);
  if (test === undefined) return;
  const relevance = searchRelevance(question.search, type, rows);
  const [best] = ranks;
  const all = rows.stored;
  for (let place = 0; place < all.length; place += 1) {
    const stored = all[place];
    if (stored === undefined || !test(place) || type.visible?.(stored, reading.call) === false) continue;
    const rank = relevance === undefined ? 0 : relevance(place);
    if (rank === 0) best?.push(stored);
    else if (rank !== undefined) ranks[rank]?.push(stored);
  }
}
