import { refused } from "../call/refusal.ts";
import { elementTypeOf } from "../types/element-types.ts";
import type { Catalogue, EntityType } from "../types/entity-type.ts";
import type { Field } from "../types/field.ts";

/** The references and nested collections to render as whole objects, by field name. The value is the next level. */
export interface Expand {
  readonly [field: string]: Expand | undefined;
}

export const NOTHING_EXPANDED: Expand = {};

/** The maximum number of levels of `expand` (json-api 6.5). */
const MAX_LEVELS = 3;

/**
 * Reads `expand=agent,positions.assortment`. A path counts up to its last valid step. The rest of the path is ignored: an unknown field, or
 * a field without references (json-api D46). Throws 1089 for a path that goes on after three valid steps.
 */
export function readExpand(query: URLSearchParams, type: Expandable, catalogue: Catalogue): Expand {
  const text = query.get("expand");
  if (text === null || text === "") return NOTHING_EXPANDED;
  const tree: Record<string, Expand> = {};
  for (const path of text.split(",")) {
    const names = path.trim().split(".");
    const known = knownPath(names.slice(0, MAX_LEVELS), [type], catalogue);
    if (known.length === MAX_LEVELS && names.length > MAX_LEVELS) throw refused(1089, undefined, path);
    plant(tree, known);
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

/** Where a step of a path starts: a type, an element of a nested collection, or a value object. */
type Expandable = Pick<EntityType, "fields"> & Partial<Pick<EntityType, "lists">>;

/**
 * Returns the valid beginning of the path. After a reference with several types, the path goes on if one of these types has the next field.
 */
function knownPath(names: readonly string[], types: readonly Expandable[], catalogue: Catalogue): readonly string[] {
  const [name, ...rest] = names;
  if (name === undefined) return [];
  const steps = types.flatMap((type) => type.fields.filter((field) => field.name === name).flatMap((field) => stepsOf(type, field)));
  const next = steps.flatMap(({ leads }) => leads(catalogue));
  if (steps.some(({ stops }) => stops)) return [name, ...knownPath(rest, next, catalogue)];
  // A path cannot end at this field, such as a value object. The field counts only if the path goes on to a reference inside it.
  const inner = knownPath(rest, next, catalogue);
  return inner.length === 0 ? [] : [name, ...inner];
}

/** One step of a path. `stops`: a path may end at this field. `leads` returns the types for the next step. */
interface ExpandStep {
  readonly stops: boolean;
  leads(catalogue: Catalogue): readonly Expandable[];
}

function stepsOf(type: Expandable, { name, kind, expand }: Field): ExpandStep[] {
  if (kind.is === "object" || kind.is === "objects") return [{ stops: expand, leads: () => [{ fields: kind.shape }] }];
  if (!expand) return [];
  if (kind.is === "list") {
    const element = elementTypeOf(type, name);
    return [{ stops: true, leads: () => (element === undefined ? [] : [element]) }];
  }
  if (kind.is !== "reference" && kind.is !== "references" && kind.is !== "collection") return [{ stops: true, leads: () => [] }];
  return [{ stops: true, leads: (catalogue) => kind.types.flatMap((each) => catalogue.get(each) ?? []) }];
}
