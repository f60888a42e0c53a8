import { refused } from "../call/refusal.ts";
import type { EntityType } from "../types/entity-type.ts";
import type { Stored } from "../values/stored.ts";

interface OrderKey {
  readonly name: string;
  readonly descending: boolean;
}

/** A sort value. Undefined: missing. */
type Sortable = string | number | boolean | undefined;

/**
 * Reads `order=field[,asc|desc];field…` (json-api 6.3). Throws 1063 for an unsupported field, 1042 for a wrong direction, 1096 for an
 * invalid text.
 */
export function readOrder(text: string, type: EntityType): readonly OrderKey[] {
  const parts = text.split(";");
  if (parts.at(-1) === "") parts.pop();
  return parts.map((part) => {
    const [name = "", direction = "asc", ...rest] = part.split(",");
    if (name === "" || rest.length > 0) throw refused(1096, undefined, text);
    if (!type.order.includes(name)) throw refused(1063, undefined, name);
    if (direction !== "asc" && direction !== "desc") throw refused(1042, undefined, direction);
    return { name, descending: direction === "desc" };
  });
}

/**
 * Sorts the objects by the keys; the sort is stable. Texts are compared by character. A missing value is the greatest, so it is last in
 * ascending order.
 */
export function sortStored(stored: readonly Stored[], keys: readonly OrderKey[], type: EntityType): readonly Stored[] {
  if (keys.length === 0 || stored.length < 2) return stored;
  const columns = keys.map(({ name, descending }) => ({ values: stored.map(valueReader(name, type)), sign: descending ? -1 : 1 }));
  const places = stored.map((_, place) => place);
  places.sort((a, b) => {
    for (const { values, sign } of columns) {
      const difference = compare(values[a], values[b]);
      if (difference !== 0) return difference * sign;
    }
    return 0;
  });
  return places.flatMap((place) => stored[place] ?? []);
}

function compare(a: Sortable, b: Sortable): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -1 : 1;
}

/**
 * Returns a reader for a sort key. A key may differ from its field in letter case (`lastname`). The keys `updatedBy` and `version` are read
 * directly from the values, because most tables lack these fields.
 */
function valueReader(key: string, type: EntityType): (stored: Stored) => Sortable {
  if (key === "id") return ({ id }) => id;
  const name = type.fields.find((field) => field.name.toLowerCase() === key.toLowerCase())?.name ?? key;
  return ({ values }) => {
    const value = values[name];
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined;
  };
}
