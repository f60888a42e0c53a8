import type { Account } from "../../account/account.ts";
import { Refusal, refused } from "../../call/refusal.ts";
import { referenceIn, shapeIn, shapesIn, type Value, type Values, withoutEmpty } from "../../values/stored.ts";

/** What a line's goods are accounted by: of a variant its product's. */
export function goodsOf(assortment: Value | undefined, { account }: { readonly account: Account }): Values | undefined {
  const goods = account.objects.pointedBy(assortment)?.values;
  return referenceIn(goods?.product) === undefined ? goods : account.objects.pointedBy(goods?.product)?.values;
}

/** ОКЕИ: units of length, area, volume, mass and time come first, then what is counted. */
const FIRST_COUNTED_UNIT = 400;

/** Whether goods are weighed, on tap, or sold in a unit that measures. */
export function isMeasured(assortment: Value | undefined, writing: { readonly account: Account }): boolean {
  const goods = goodsOf(assortment, writing);
  const unit = referenceIn(goods?.uom);
  const code = unit === undefined ? undefined : writing.account.objects.get(unit.type, unit.id)?.values.code;
  const measures = typeof code === "string" && /^\d{3}$/.test(code) && Number(code) < FIRST_COUNTED_UNIT;
  return goods?.weighed === true || goods?.onTap === true || measures;
}

/** Codes of goods without marking are dropped (12.2). */
export function withoutCodes(line: Values): Values {
  const { trackingCodes: _codes, trackingCodes_1162: _tags, ...rest } = line;
  return rest;
}

/**
 * Serial numbers are ignored for goods without serial accounting; with it there are as many as the line has of the goods
 * (12.2), so that they say the quantity where the line does not. Empty ones, and another number of them, are 3048.
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
 * A pack is one of the goods' own, of a variant's or its product's: else 17020, unless it stays as it was. What the line does not
 * say of it (12.2: id, quantity, uom) the goods do.
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
