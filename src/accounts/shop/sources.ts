import { PlatformFailure } from "../../platform/api/failure.ts";
import type { PlatformClient } from "../../platform/client.ts";
import type { Moment } from "../../platform/entities/meta.ts";
import type { Bounds } from "../../platform/query/query.ts";
import type { GoodsType, ShopName, ShopObject, ShopType } from "./shop-object.ts";
import { employeeOf, goodsOf, isObject, organizationOf, storeOf, unitOf, variantOf } from "./translate.ts";

/** The maximum number of goods in one request by id: lists with expanded objects have at most 100 rows (json-api 6.5). */
export const MAX_GOODS_IN_REQUEST = 100;

/** A row, and the moment of its last change if the platform states it. */
export interface ReadRow {
  object: ShopObject;
  updated: string | undefined;
}

interface AllQuery extends Bounds {
  filter?: { updated: { atLeast: Moment } };
}

interface Source {
  one(client: PlatformClient, id: string, bounds: Bounds): Promise<ShopObject>;
  all(client: PlatformClient, query: AllQuery): AsyncIterable<ReadRow>;
}

interface GoodsSource extends Source {
  some(client: PlatformClient, ids: readonly string[], bounds: Bounds): Promise<ShopObject[]>;
}

/** Returns one object. Undefined: the platform has no object with this id, or answered with another object. @throws PlatformFailure */
export async function readObject(client: PlatformClient, { type, id }: ShopName, bounds: Bounds = {}): Promise<ShopObject | undefined> {
  try {
    const object = await SOURCES[type].one(client, id, bounds);
    return object.id === id ? object : undefined;
  } catch (error) {
    if (error instanceof PlatformFailure && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Returns the goods of one type with these ids, in any order. Archived goods are left out. Give 1 to `MAX_GOODS_IN_REQUEST` ids: with more,
 * goods are missing in the answer. @throws PlatformFailure
 */
export function readGoods(client: PlatformClient, type: GoodsType, ids: readonly string[], bounds: Bounds = {}): Promise<ShopObject[]> {
  return SOURCES[type].some(client, ids, bounds);
}

/** Returns all objects of a type, or those changed since a moment, page by page. @throws PlatformFailure */
export function readAllOf(client: PlatformClient, type: ShopType, changedSince?: Moment, bounds: Bounds = {}): AsyncIterable<ReadRow> {
  const filter = changedSince === undefined ? {} : { filter: { updated: { atLeast: changedSince } } };
  return SOURCES[type].all(client, { ...filter, ...bounds });
}

const STORE = { expand: ["cashiers"] } as const;
const CARD = { expand: ["uom"] } as const;
/** A variant has no kind, tax or unit of its own, so its product is read with it. */
const VARIANT = { expand: ["product", "product.uom"] } as const;

const SOURCES: Record<GoodsType, GoodsSource> & Record<Exclude<ShopType, GoodsType>, Source> = {
  retailstore: {
    one: async (client, id, bounds) => storeOf(await client.retailStores.get(id, { ...STORE, ...bounds })),
    all: (client, query) => translated(client.retailStores.all({ ...STORE, ...query }), storeOf),
  },
  organization: {
    one: async (client, id, bounds) => organizationOf(await client.organizations.get(id, bounds)),
    all: (client, query) => translated(client.organizations.all(query), organizationOf),
  },
  employee: {
    one: async (client, id, bounds) => employeeOf(await client.employees.get(id, bounds)),
    all: (client, query) => translated(client.employees.all(query), employeeOf),
  },
  uom: {
    one: async (client, id, bounds) => unitOf(await client.uoms.get(id, bounds)),
    all: (client, query) => translated(client.uoms.all(query), unitOf),
  },
  product: {
    one: async (client, id, bounds) => goodsOf("product", await client.products.get(id, { ...CARD, ...bounds })),
    some: async (client, id, bounds) =>
      (await client.products.list({ filter: { id }, ...CARD, ...bounds })).rows.filter(isObject).map(cardOf("product")),
    all: (client, query) => translated(client.products.all({ ...CARD, ...query }), cardOf("product")),
  },
  service: {
    one: async (client, id, bounds) => goodsOf("service", await client.services.get(id, { ...CARD, ...bounds })),
    some: async (client, id, bounds) =>
      (await client.services.list({ filter: { id }, ...CARD, ...bounds })).rows.filter(isObject).map(cardOf("service")),
    all: (client, query) => translated(client.services.all({ ...CARD, ...query }), cardOf("service")),
  },
  bundle: {
    one: async (client, id, bounds) => goodsOf("bundle", await client.bundles.get(id, { ...CARD, ...bounds })),
    some: async (client, id, bounds) =>
      (await client.bundles.list({ filter: { id }, ...CARD, ...bounds })).rows.filter(isObject).map(cardOf("bundle")),
    all: (client, query) => translated(client.bundles.all({ ...CARD, ...query }), cardOf("bundle")),
  },
  variant: {
    one: async (client, id, bounds) => variantOf(await client.variants.get(id, { ...VARIANT, ...bounds })),
    some: async (client, id, bounds) =>
      (await client.variants.list({ filter: { id }, ...VARIANT, ...bounds })).rows.filter(isObject).map(variantOf),
    all: (client, query) => translated(client.variants.all({ ...VARIANT, ...query }), variantOf),
  },
};

function cardOf(type: "product" | "service" | "bundle") {
  return (card: Parameters<typeof goodsOf>[1]) => goodsOf(type, card);
}

async function* translated<Row extends { readonly updated?: string | null }>(
  rows: AsyncIterable<Row>,
  translate: (row: Row) => ShopObject,
): AsyncIterable<ReadRow> {
  for await (const row of rows) {
    if (isObject(row)) yield { object: translate(row), updated: typeof row.updated === "string" ? row.updated : undefined };
  }
}
