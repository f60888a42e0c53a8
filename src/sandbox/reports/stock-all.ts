import { referenceIn, type Stored, type Values } from "../account/stored.ts";
import { refused } from "../call/refusal.ts";
import { collectionMeta, contextOf, readPage } from "../reading/page.ts";
import type { Reading } from "../reading/reading.ts";
import { type Json, type JsonObject, metaOf, renderReference } from "../reading/render.ts";
import { available, STOCKED_TYPES, type StockLevel, stockAt } from "./stock.ts";
import { readStockQuestion, type StockRow } from "./stock-filter.ts";

const DAY_MS = 86_400_000;
const NOTHING: StockLevel = { stock: 0, reserve: 0, inTransit: 0 };

/** `report/stock/all` (14.1): goods with their stock, one page. */
export function stockAll(path: string, reading: Reading): JsonObject {
  const page = readPage(path, reading.call);
  const rows = ordered(stockRows(reading), reading);
  const shown = rows.slice(page.offset, page.offset + page.limit).map((row): Json => renderRow(row, reading));
  return { context: contextOf(reading), meta: collectionMeta(path, "stock", rows.length, page, reading), rows: shown };
}

/** `report/stock/bystore`: every warehouse of the account beside each of the goods, zeros included. */
export function stockByStore(path: string, reading: Reading): JsonObject {
  const page = readPage(path, reading.call);
  const { levels } = stockAt(reading.account, momentOf(reading));
  const stores = [...reading.account.objects.all("store").values()];
  const rows = ordered(stockRows(reading), reading);
  const shown = rows.slice(page.offset, page.offset + page.limit).map(
    ({ goods }): Json => ({
      meta: rowMeta(goods, reading),
      stockByStore: stores.map((store): Json => {
        const level = levels.get(goods.id)?.get(store.id) ?? NOTHING;
        return {
          meta: metaOf(store, reading),
          name: String(store.values.name),
          stock: level.stock,
          reserve: level.reserve,
          inTransit: level.inTransit,
        };
      }),
    }),
  );
  return { context: contextOf(reading), meta: collectionMeta(path, "stockbystore", rows.length, page, reading), rows: shown };
}

/** Documents of the last moments do not count yet when the settings delay the report (D37). */
function momentOf({ account, call }: Reading): number {
  return account.clock.nowMs() - call.settings.stockDelayMs;
}

/** The rows that were asked for, grouped by variant (default) or product. */
function stockRows(reading: Reading): readonly StockRow[] {
  const { account, call } = reading;
  const question = readStockQuestion(reading);
  const { levels, movedAt } = stockAt(account, question.momentMs ?? momentOf(reading));
  const groupBy = readGroupBy(call.query.get("groupBy"));
  const nowMs = account.clock.nowMs();
  const sums = new Map<string, StockLevel>();
  const goodsById = new Map<string, Stored>();
  for (const type of STOCKED_TYPES) {
    for (const goods of account.objects.all(type).values()) {
      const shown = groupBy === "product" && type === "variant" ? (productOf(goods, reading) ?? goods) : goods;
      goodsById.set(shown.id, shown);
      sums.set(shown.id, added(sums.get(shown.id) ?? NOTHING, levels.get(goods.id), question.stores));
    }
  }
  return [...goodsById.values()]
    .map((goods) => ({ goods, level: sums.get(goods.id) ?? NOTHING, stockDays: daysSince(movedAt.get(goods.id), nowMs) }))
    .filter(question.accepts);
}

function readGroupBy(text: string | null): "product" | "variant" {
  if (text === null || text === "variant" || text === "consignment") return "variant";
  if (text !== "product") throw refused(13005, undefined, "groupBy");
  return text;
}

function added(
  sum: StockLevel,
  byStore: ReadonlyMap<string, StockLevel> | undefined,
  stores: ((id: string) => boolean) | undefined,
): StockLevel {
  let { stock, reserve, inTransit } = sum;
  for (const [store, level] of byStore ?? []) {
    if (stores?.(store) === false) continue;
    stock += level.stock;
    reserve += level.reserve;
    inTransit += level.inTransit;
  }
  return { stock, reserve, inTransit };
}

function daysSince(movedAt: number | undefined, nowMs: number): number {
  return movedAt === undefined ? 0 : Math.max(0, Math.floor((nowMs - movedAt) / DAY_MS));
}

function productOf(goods: Stored, { account }: Reading): Stored | undefined {
  const product = referenceIn(goods.values.product);
  return product === undefined ? undefined : account.objects.get(product.type, product.id);
}

/** What `order` may name, and where its values are. */
const SORTED: Readonly<Record<string, (row: StockRow) => string | number>> = {
  name: ({ goods }) => String(goods.values.name),
  code: ({ goods }) => String(goods.values.code ?? ""),
  productCode: ({ goods }) => String(goods.values.code ?? ""),
  pathName: ({ goods }) => String(goods.values.pathName ?? ""),
  stock: ({ level }) => level.stock,
  reserve: ({ level }) => level.reserve,
  inTransit: ({ level }) => level.inTransit,
  quantity: ({ level }) => available(level),
  price: ({ goods }) => priceIn(goods.values.buyPrice),
  salePrice: ({ goods }) => salePriceIn(goods.values),
  sumTotal: ({ goods, level }) => level.stock * priceIn(goods.values.buyPrice),
  avgStockDays: ({ stockDays }) => stockDays,
  minimumBalance: ({ goods }) => Number(goods.values.minimumBalance ?? 0),
};

/** Default: folder, then name. */
function ordered(rows: readonly StockRow[], { call }: Reading): readonly StockRow[] {
  const [name = "", direction = "asc"] = (call.query.get("order") ?? "").split(",");
  if (direction !== "asc" && direction !== "desc") throw refused(1042, undefined, direction);
  const keys = name === "" ? [SORTED.pathName, SORTED.name] : [SORTED[name]];
  const sign = direction === "asc" ? 1 : -1;
  return [...rows].sort((left, right) => {
    for (const key of keys) {
      if (key === undefined) throw refused(1063, undefined, name);
      const [a, b] = [key(left), key(right)];
      const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "ru");
      if (order !== 0) return sign * order;
    }
    return 0;
  });
}

function renderRow(row: StockRow, reading: Reading): JsonObject {
  const { values } = row.goods;
  const text = (name: string) => (typeof values[name] === "string" ? { [name]: values[name] as string } : {});
  const uom = referenceIn(values.uom);
  return {
    meta: rowMeta(row.goods, reading),
    stock: row.level.stock,
    inTransit: row.level.inTransit,
    reserve: row.level.reserve,
    quantity: available(row.level),
    name: String(values.name),
    ...text("code"),
    ...text("article"),
    price: priceIn(values.buyPrice),
    salePrice: salePriceIn(values),
    ...(uom === undefined ? {} : { uom: renderReference(uom, reading) }),
    ...folderOf(row.goods, reading),
    ...text("externalCode"),
    stockDays: row.stockDays,
  };
}

/** A row's href carries a query part (14.1). */
function rowMeta(goods: Stored, reading: Reading): JsonObject {
  const meta = metaOf(goods, reading);
  return { ...meta, href: `${String(meta.href)}?expand=supplier` };
}

function folderOf({ values }: Stored, reading: Reading): JsonObject {
  const reference = referenceIn(values.productFolder);
  const folder = reference === undefined ? undefined : reading.account.objects.get(reference.type, reference.id);
  if (folder === undefined) return {};
  const { name, pathName } = folder.values;
  return { folder: { meta: metaOf(folder, reading), name: String(name), pathName: String(pathName ?? "") } };
}

function priceIn(price: Values[string]): number {
  const value = (price as Values | undefined)?.value;
  return typeof value === "number" ? value : 0;
}

function salePriceIn({ salePrices }: Values): number {
  return Array.isArray(salePrices) ? priceIn(salePrices[0] as Values) : 0;
}
