import { refused } from "../call/refusal.ts";
import { elementTypeOf } from "../types/element-types.ts";
import type { Catalogue, EntityType } from "../types/entity-type.ts";

/** Which references and nested collections are given whole, by the name of the field; deeper levels inside. */
export interface Expand {
  readonly [field: string]: Expand | undefined;
}

export const NOTHING_EXPANDED: Expand = {};

/** Levels of `expand` (6.5). */
const MAX_LEVELS = 3;

/** Reads `expand=agent,positions.assortment`. A path that cannot be expanded is 412/1089. */
export function readExpand(query: URLSearchParams, type: Expandable, catalogue: Catalogue): Expand {
  const text = query.get("expand");
  if (text === null || text === "") return NOTHING_EXPANDED;
  const tree: Record<string, Expand> = {};
  for (const path of text.split(",")) {
    const names = path.trim().split(".");
    if (names.length > MAX_LEVELS) throw refused(1089, undefined, path);
    checkPath(names, [type], catalogue, path);
    plant(tree, names);
  }
  return tree;
}

function plant(tree: Record<string, Expand>, names: readonly string[]): void {
  let level = tree;
  for (const name of names) {
    const next = (level[name] ?? {}) as Record<string, Expand>;
    level[name] = next;
    level = next;
  }
}

/** What a step of a path can start from: a type, or an element of a nested collection. */
type Expandable = Pick<EntityType, "fields"> & Partial<Pick<EntityType, "lists">>;

/** A reference may lead to several types; the path is good when one of them has the next field. */
function checkPath(names: readonly string[], types: readonly Expandable[], catalogue: Catalogue, path: string): void {
  const [name = "", ...rest] = names;
  const found = types.flatMap((type) =>
    type.fields.filter((field) => field.name === name && field.expand).map((field) => ({ type, field })),
  );
  if (found.length === 0) throw refused(1089, undefined, path);
  if (rest.length === 0) return;
  const next = found.flatMap(({ type, field: { kind } }): Expandable[] => {
    if (kind.is === "list") {
      const element = elementTypeOf(type, name);
      return element === undefined ? [] : [element];
    }
    if (kind.is !== "reference" && kind.is !== "references" && kind.is !== "collection") return [];
    return kind.types.flatMap((each) => catalogue.get(each) ?? []);
  });
  checkPath(rest, next, catalogue, path);
}
