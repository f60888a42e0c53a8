import type { Account } from "../../account/account.ts";
import { Refusal, refused } from "../../call/refusal.ts";
import { referenceIn, shapeIn, shapesIn, type Value, type Values, withoutEmpty } from "../../values/stored.ts";

/** Returns the goods that give a line its accounting rules. A variant uses its product. */
export function goodsOf(assortment: Value | undefined, { account }: { readonly account: Account }): Values | undefined {
  const goods = account.objects.pointedBy(assortment)?.values;
  return referenceIn(goods?.product) === undefined ? goods : account.objects.pointedBy(goods?.product)?.values;
}

/** The lowest code of a unit of counted goods in the classifier ОКЕИ. Units of length, area, volume, mass and time have lower codes. */
const FIRST_COUNTED_UNIT = 400;

/** Whether the goods are weighed, on tap, or sold in a unit of measurement. */
export function isMeasured(assortment: Value | undefined, writing: { readonly account: Account }): boolean {
  const goods = goodsOf(assortment, writing);
  const unit = referenceIn(goods?.uom);
  const code = unit === undefined ? undefined : writing.account.objects.get(unit.type, unit.id)?.values.code;
  const measures = typeof code === "string" && /^\d{3}$/.test(code) && Number(code) < FIRST_COUNTED_UNIT;
  return goods?.weighed === true || goods?.onTap === true || measures;
}

/** Returns the line without marking codes, which do not count for unmarked goods (json-api 12.2). */
export function withoutCodes(line: Values): Values {
  const { trackingCodes: _codes, trackingCodes_1162: _tags, ...rest } = line;
  return rest;
}

/**
 * Returns the line with its serial numbers. Goods without serial accounting get none. The count of given serial numbers must equal the
 * stated quantity (json-api 12.2); if no quantity is stated, the count becomes the quantity. Throws 3048 for a wrong count or an empty
 * serial number.
 */
export function withSerials(line: Values, stated: number | undefined, tracked: boolean): Values {
  const { things, ...rest } = line;
  if (!tracked) return rest;
  if (!Array.isArray(things) || things.length === 0) return line;
  const serials = things as readonly string[];
  if (serials.length !== (stated ?? serials.length) || serials.includes("")) {
    throw new Refusal({ code: 3048, parameter: "things", details: [serials.join(", ")] });
  }
  return { ...line, quantity: serials.length };
}

/**
 * Returns the line with its pack. Missing fields of the pack (json-api 12.2: quantity, uom) come from the goods. Throws 17020 if a new pack
 * belongs neither to the goods nor to the variant's product.
 */
export function withOwnPack(values: Values, before: Values | undefined, _id: string, reading: { readonly account: Account }): Values {
  const pack = shapeIn(values.pack);
  if (pack?.id === undefined) return values;
  const goods = reading.account.objects.pointedBy(values.assortment)?.values;
  const packs = [...shapesIn(goods?.packs), ...shapesIn(goodsOf(values.assortment, reading)?.packs)];
  const own = packs.find(({ id }) => id === pack.id);
  if (own !== undefined) return { ...values, pack: withoutEmpty({ quantity: own.quantity, uom: own.uom, ...pack }) };
  if (pack.id !== shapeIn(before?.pack)?.id) throw refused(17020, "pack");
  return values;
}
