import { refused, within, withinEach } from "../../call/refusal.ts";
import { referenceIn, type Stored, shapesIn, type Value, type Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";
import { checkBarcode } from "./barcodes.ts";

/**
 * Applies a body's packs, which replace the whole list, and returns the new packs (json-api 13.1). A pack keeps a known id; other packs get
 * a new id. `uom` is the unit of the goods.
 * Throws 16008 if the goods have no unit, 3003 for a quantity not above zero, 3013 for a repeated id. A pack must not have the unit of the
 * goods: the documentation has no error code for this fault, so 3028 is thrown. `checkBarcode` throws the errors of barcodes.
 */
export function settlePacks(draft: Values, before: Stored | undefined, { account }: Writing, uom = draft.uom): Value | undefined {
  const packs = shapesIn(draft.packs);
  if (packs.length === 0) return undefined;
  const unit = referenceIn(uom);
  if (unit === undefined) throw refused(16008, "packs");
  const known = new Set(shapesIn(before?.values.packs).map(({ id }) => id));
  const seen = new Set<Value | undefined>();
  const settled = (pack: Values): Value => {
    if (referenceIn(pack.uom)?.id === unit.id) throw refused(3028, undefined, "uom, packs").below("uom");
    if (typeof pack.quantity === "number" && pack.quantity <= 0) throw refused(3003, "quantity");
    if (pack.id !== undefined && seen.has(pack.id)) throw refused(3013, "packs", String(pack.id)).below("id");
    seen.add(pack.id);
    within("barcodes", () => withinEach(shapesIn(pack.barcodes), checkBarcode));
    return { ...pack, id: known.has(pack.id) ? pack.id : account.newId() } as Value;
  };
  return within("packs", () => withinEach(packs, settled));
}
