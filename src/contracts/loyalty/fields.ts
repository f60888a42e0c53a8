import { z } from "zod";
import { Numeral } from "../../http/json-body.ts";
import { parseDecimal, scaleTo } from "../../kernel/decimal.ts";
import { boundedList } from "../../kernel/list-schema.ts";
import { parseWallTime } from "../../kernel/moment.ts";
import { MAX_KOPECKS } from "../../kernel/money.ts";
import { MAX_MOVED_POINTS } from "../../loyalty/programme/bounds.ts";
import { PLATFORM_ID } from "../../model/operation.ts";

/** The longest accepted name, or other text without its own limit here. The platform allows names of 255, so no real name is refused. */
const MAX_NAME_LENGTH = 1_000;
const MAX_ADDRESS_LENGTH = 255;
/** The longest accepted text of a moment, with room for a fraction of a second. */
const MAX_MOMENT_LENGTH = 40;
/** The maximum number of positions, as in the fiscal contract. */
export const MAX_POSITIONS = 1_000;
/** The maximum number of serial numbers of one position: each piece may have one. */
const MAX_SERIALS = 1_000;
/** The largest quantity, in thousandths: a million pieces, as in the fiscal contract. */
const MAX_THOUSANDTHS = 1_000_000_000;
const MILLIONTHS_OF_THOUSANDTH = 1_000;

export const id = z.string().regex(PLATFORM_ID).describe("1–64 characters of A–Z a–z 0–9 -");

export const optionalText = (maxLength = MAX_NAME_LENGTH) =>
  z
    .string()
    .max(maxLength)
    .nullish()
    .transform((text) => (text == null || text.trim() === "" ? undefined : text.trim()));

export const text = (maxLength = MAX_NAME_LENGTH) => z.string().max(maxLength);
export const phone = () => optionalText(MAX_ADDRESS_LENGTH);

/** An id that may be null, empty or absent: objects in the platform's samples lack ids (platform-contracts 6.9). */
const optionalId = z
  .union([id, z.literal("")])
  .nullish()
  .transform((value) => (value == null || value === "" ? undefined : value));

const idType = z.enum(["native", "sync"]).nullish().catch("native");
const href = z
  .string()
  .max(MAX_NAME_LENGTH * 4)
  .nullish();

/** The point of sale. Only its id counts. */
export const retailStore = z.object({ meta: z.object({ id, href }), name: optionalText() });

/** A buyer in any form of the bodies: with `meta`, without `meta` (in returns), as an empty object, null or absent. */
export const agent = z
  .object({
    meta: z.object({ id: optionalId, href, idType }).nullish(),
    id: optionalId,
    href,
    syncId: optionalId,
    name: optionalText(),
    phone: phone(),
    discountCardNumber: optionalText(MAX_ADDRESS_LENGTH),
  })
  .nullish();

/** Goods of a position. Only `meta.id` is used. A native product may come without `idType` and `type` (platform-contracts 6.3). */
export const assortment = z.object({
  meta: z.object({ id, href, idType, type: z.string().max(MAX_ADDRESS_LENGTH).nullish() }),
  syncId: optionalId,
});

interface Bounds {
  decimals: number;
  /** `min` and `max` are in steps of the last decimal: with two decimals, in hundredths. */
  min: number;
  max: number;
}

/** A number with limited decimals, read from its source text; not a text in quotes. The result is in whole steps of the last decimal. */
function number(description: string, { decimals, min, max }: Bounds) {
  return z
    .unknown()
    .transform((value, context): number => {
      const decimal = value instanceof Numeral ? parseDecimal(value.text) : undefined;
      const steps = decimal === undefined ? undefined : scaleTo(decimal, decimals);
      if (steps !== undefined && steps >= min && steps <= max) return steps;
      context.addIssue({ code: "custom", message: description });
      return z.NEVER;
    })
    .meta({ description, type: "number" });
}

/** Roubles with at most two decimals. The result is in kopecks. */
export const roubles = () => number("Roubles with at most two decimals, not below zero", { decimals: 2, min: 0, max: MAX_KOPECKS });
/** A quantity with at most three decimals. The result is in millionths. */
export const quantity = () =>
  number("A quantity above zero with at most three decimals", { decimals: 3, min: 1, max: MAX_THOUSANDTHS }).transform(
    (thousandths) => thousandths * MILLIONTHS_OF_THOUSANDTH,
  );
/** A percentage with at most two decimals. The result is in hundredths of a per cent. */
export const percent = () => number("A percentage from 0 to 100 with at most two decimals", { decimals: 2, min: 0, max: 10_000 });
export const points = () => number("Whole points, not below zero", { decimals: 0, min: 0, max: MAX_MOVED_POINTS });
export const minorUnits = () => number("Whole kopecks, not below zero", { decimals: 0, min: 0, max: MAX_KOPECKS });
/** The points that the buyer wants to spend. Zero is refused too (payments surface 6). */
export const wantedPoints = () => number("Whole points above zero", { decimals: 0, min: 1, max: MAX_KOPECKS });

/** A moment as wall time in the zone of the point of sale. */
export const moment = z
  .string()
  .max(MAX_MOMENT_LENGTH)
  .transform((value, context) => {
    const wall = parseWallTime(value);
    if (wall !== undefined) return wall;
    context.addIssue({ code: "custom", message: "a date and time such as 2026-11-29 14:05:00" });
    return z.NEVER;
  })
  .meta({ description: "YYYY-MM-DD HH:MM:SS", type: "string" });

/** Serial numbers: objects that the till gets back unchanged. Only their number and the length of their members' names are limited. */
export const serials = boundedList(z.record(z.string().max(MAX_NAME_LENGTH), z.unknown()), { max: MAX_SERIALS }).nullish();
