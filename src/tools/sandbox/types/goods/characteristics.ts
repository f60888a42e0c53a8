import { refused, within, withinEach } from "../../call/refusal.ts";
import { type Reference, referenceIn, type Stored, shapesIn, type Value, type Values } from "../../values/stored.ts";
import { BARE } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** The type of the stored objects with values `{ name }`. */
export const CHARACTERISTIC = "characteristic";

/** A characteristic of variants (json-api 13.2). Only its name is writable. Its values are texts, and a variant need not have it. */
export const CHARACTERISTIC_TYPE: EntityType = {
  ...BARE,
  name: CHARACTERISTIC,
  metaType: "attributemetadata",
  inner: true,
  fields: fieldTable(`
    id        uuid         ro out
    name      string(255)  req out
    type      string(255)  ro out
    required  bool         ro out
  `),
  settle(draft, before, { account }) {
    const taken = [...account.objects.all(CHARACTERISTIC).values()].some(
      ({ id, values }) => id !== before?.id && values.name === draft.name,
    );
    if (taken) throw refused(3006, "name");
    return { name: draft.name };
  },
  derive: () => ({ type: "string", required: false }),
};

/**
 * Applies a body's characteristics, which replace the whole list, and returns the result (json-api 13.2). The characteristic of an element
 * is found by id, then by name. An unknown name makes a new characteristic.
 * Throws 10000 for an element that has neither a known id nor a name, 10001 for an element without value, 15004 for a repeated
 * characteristic. Throws 15001 for an empty list, 15000 if another variant of the product has the same set.
 */
export function settleCharacteristics(draft: Values, before: Stored | undefined, writing: Writing): Value {
  const sent = shapesIn(draft.characteristics);
  if (sent.length === 0) throw refused(15001, "characteristics");
  const seen = new Set<string>();
  const settle = ({ id, name, value }: Values): Values => {
    const found = find(id, name, writing);
    const called = String(found.values.name);
    if (value === undefined || value === "") throw refused(10001, "characteristics", called).below("value");
    if (seen.has(found.id)) throw refused(15004, "characteristics", called);
    seen.add(found.id);
    return { id: found.id, name: called, value };
  };
  const settled = within("characteristics", () => withinEach(sent, settle));
  if (isTaken(settled, referenceIn(draft.product), before, writing)) throw refused(15000, "characteristics");
  return settled as Value;
}

function find(id: Value | undefined, name: Value | undefined, { account }: Writing): Stored {
  const known = typeof id === "string" ? account.objects.get(CHARACTERISTIC, id) : undefined;
  if (known !== undefined) return known;
  if (typeof name !== "string" || name === "") throw refused(10000, "characteristics");
  const named = [...account.objects.all(CHARACTERISTIC).values()].find(({ values }) => values.name === name);
  if (named !== undefined) return named;
  const made: Stored = { type: CHARACTERISTIC, id: account.newId(), values: { name } };
  account.put(made);
  return made;
}

/** Whether another variant of the product has the same set, in any order. */
function isTaken(settled: readonly Values[], product: Reference | undefined, before: Stored | undefined, { account }: Writing): boolean {
  if (product === undefined || !account.uses.of(product).has("variant")) return false;
  const key = keyOf(settled);
  return [...account.objects.all("variant").values()].some(
    ({ id, values }) =>
      id !== before?.id && referenceIn(values.product)?.id === product.id && keyOf(shapesIn(values.characteristics)) === key,
  );
}

function keyOf(characteristics: readonly Values[]): string {
  return characteristics
    .map(({ id, value }) => `${String(id)}=${String(value)}`)
    .sort()
    .join(";");
}
