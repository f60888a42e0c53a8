import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { ITEM_KINDS } from "../../model/subjects.ts";
import { TAX_SYSTEMS, type TaxSystem } from "../../model/tax.ts";
import { GOODS_TYPES } from "./shop-object.ts";

/**
 * The maximum number of changed objects of one notification. The platform writes full addresses, so even the largest body has fewer
 * objects.
 */
export const MAX_EVENTS = 8_000;
/** The maximum number of cashiers of one point of sale. The platform has no limit, and no shop has so many. */
const MAX_CASHIERS = 10_000;

export const changedObjectsSchema = boundedList(z.object({ type: z.string(), id: z.string(), action: z.string() }), { max: MAX_EVENTS });

const id = z.string();
const archived = z.literal(true).exactOptional();
const taxSystem = z.enum(Object.keys(TAX_SYSTEMS) as TaxSystem[]).exactOptional();
const unit = { name: z.string(), code: z.string().exactOptional() };

/** Null: the platform has no such object. */
export const shopObjectSchema = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("retailstore"),
      id,
      name: z.string(),
      address: z.string().exactOptional(),
      archived,
      organizationId: z.string().exactOptional(),
      taxSystem,
      cashierIds: boundedList(z.string(), { max: MAX_CASHIERS }),
    }),
    z.object({ type: z.literal("organization"), id, name: z.string(), inn: z.string().exactOptional(), archived }),
    z.object({
      type: z.literal("employee"),
      id,
      firstName: z.string().exactOptional(),
      middleName: z.string().exactOptional(),
      lastName: z.string().exactOptional(),
      archived,
    }),
    z.object({ type: z.literal("uom"), id, ...unit }),
    z.object({
      type: z.enum(GOODS_TYPES),
      id,
      kind: z.enum(ITEM_KINDS).exactOptional(),
      taxSystem,
      unit: z.object(unit).exactOptional(),
      marked: z.literal(true).exactOptional(),
      folderId: z.string().exactOptional(),
    }),
  ])
  .nullable();
