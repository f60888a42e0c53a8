import type { Account } from "../../account/account.ts";
import { referenceIn, type Stored, shapeIn, type Value, type Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";

/** The parts of the one-line form in order. The line omits the comment. */
const PARTS = ["postalCode", "country", "region", "city", "street", "house", "apartment", "addInfo"];

/**
 * Returns both forms of an address after a write (json-api 5.7). The body's structured form has priority and makes the line. A line alone
 * also becomes the structured `addInfo`. A null changes nothing. An empty line clears both forms (json-api 5.5).
 */
export function settleAddress(draft: Values, before: Stored | undefined, { account, given }: Writing, name: string): Values {
  const full = `${name}Full`;
  const shape = given.has(full) ? shapeIn(draft[full]) : undefined;
  if (shape !== undefined) {
    const line = lineOf(shape, account);
    return { [name]: line === "" ? undefined : line, [full]: shape as Value };
  }
  const line = given.has(name) ? draft[name] : undefined;
  if (line === "") return { [name]: undefined, [full]: undefined };
  if (line !== undefined) return { [name]: line, [full]: { addInfo: line } };
  return { [name]: before?.values[name], [full]: before?.values[full] };
}

function lineOf(shape: Values, account: Account): string {
  return PARTS.map((part) => wordOf(shape[part], account))
    .filter((word) => word !== "")
    .join(", ");
}

/** Returns a part as text for the line. A country or region becomes its name. */
function wordOf(value: Value | undefined, account: Account): string {
  const reference = referenceIn(value);
  if (reference === undefined) return typeof value === "string" ? value : "";
  return String(account.objects.get(reference.type, reference.id)?.values.name ?? "");
}
