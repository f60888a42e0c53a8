import { refused, within, withinEach } from "../../call/refusal.ts";
import type { Json, JsonObject } from "../../values/json.ts";
import { type Reference, referenceIn, type Stored, shapesIn, type Value, type Values } from "../../values/stored.ts";
import type { Reading, Writing } from "../entity-type.ts";

/** Kept as objects of this type: `{ name }`. */
export const CHARACTERISTIC = "characteristic";

/**
 * Characteristics after a body, replaced as a whole (13.2). An element is found by its id, else by its name, where a new
 * name makes a new characteristic; neither is 10000, no value 10001, one named twice 15004, none at all 15001, the set of
 * another variant of the product 15000.
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

/** What `entity/variant/metadata` lists. */
export function characteristicRows(reading: Reading): Json[] {
  return [...reading.account.objects.all(CHARACTERISTIC).values()].map((stored) => characteristicRow(stored, reading));
}

export function characteristicRow({ id, values }: Stored, { call }: Reading): JsonObject {
  const href = `${call.api}/entity/variant/metadata/characteristics/${id}`;
  const meta = { href, type: "attributemetadata", mediaType: "application/json" };
  return { meta, id, name: String(values.name), type: "string", required: false };
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

/** The order in which a set is written does not matter. */
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
