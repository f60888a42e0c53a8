import { refused } from "../call/refusal.ts";
import { NOTHING_EXPANDED } from "../reading/expand.ts";
import { collectionMeta, contextOf, readPage } from "../reading/page.ts";
import { metaOf, renderElement, renderReference } from "../reading/render.ts";
import {
  available,
  ofGoods,
  productOf,
  STOCKED_TYPES,
  type StockLevel,
  type StockTable,
  stockAt,
  stockNow,
  sumOfStock,
} from "../stock/stock.ts";
import { IMAGE } from "../types/attachments.ts";
import type { Reading } from "../types/entity-type.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { elementsIn, referenceIn, type Stored } from "../values/stored.ts";
import { readStockQuestion, type StockRow } from "./stock-filter.ts";
import { costOf, ordered, salePriceOf } from "./stock-order.ts";

const DAY_MS = 86_400_000;
const NOTHING: StockLevel = { stock: 0, reserve: 0, inTransit: 0 };

/** Answers `report/stock/all` (json-api 14.1): a page of goods with stock. */
export function stockAll(path: string, reading: Reading): JsonObject {
  const page = readPage(path, reading.call);
  const rows = ordered(stockRows(reading), reading);
  const shown = rows.slice(page.offset, page.offset + page.limit).map((row): Json => renderRow(row, reading));
  return { context: contextOf(reading), meta: collectionMeta(path, "stock", rows.length, page, reading), rows: shown };
}

/** Answers `report/stock/bystore`: for the goods of each row, the stock in every warehouse, also where it is zero. */
export function stockByStore(path: string, reading: Reading): JsonObject {
  const page = readPage(path, reading.call);
  const { levels } = stockTable(readStockQuestion(reading).momentMs, reading);
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

/** Returns the stock at a moment, by default now. The setting `stockDelayMs` hides the newest changes (json-api D37). */
export function stockTable(momentMs: number | undefined, { account, call }: Reading): StockTable {
  if (momentMs === undefined && call.settings.stockDelayMs === 0) return stockNow(account);
  const nowMs = account.clock.nowMs();
  return stockAt(account, momentMs ?? nowMs, nowMs - call.settings.stockDelayMs);
}

/** Returns the rows, grouped by variant (default) or product. */
function stockRows(reading: Reading): readonly StockRow[] {
  const { account, call } = reading;
  const question = readStockQuestion(reading);
  const { levels, movedAt } = stockTable(question.momentMs, reading);
  const groupBy = question.related ? "variant" : readGroupBy(call.query.get("groupBy"));
  const atMs = question.momentMs ?? account.clock.nowMs();
  const sums = new Map<string, StockLevel>();
  const movedAtMs = new Map<string, number>();
  const goodsById = new Map<string, Stored>();
  for (const type of STOCKED_TYPES) {
    for (const goods of account.objects.all(type).values()) {
      const shown = groupBy === "product" && type === "variant" ? (productOf(goods, account) ?? goods) : goods;
      goodsById.set(shown.id, shown);
      const ofStores = [...(levels.get(goods.id) ?? [])].filter(([store]) => question.stores?.(store) !== false);
      sums.set(shown.id, sumOfStock([sums.get(shown.id) ?? NOTHING, ...ofStores.map(([, level]) => level)]));
      const moved = movedAt.get(goods.id);
      if (moved !== undefined) movedAtMs.set(shown.id, Math.max(movedAtMs.get(shown.id) ?? moved, moved));
    }
  }
  const rows = [...goodsById.values()].map((goods) => ({
    goods,
    level: sums.get(goods.id) ?? NOTHING,
    stockDays: daysSince(movedAtMs.get(goods.id), atMs),
  }));
  return question.select(rows);
}

function readGroupBy(text: string | null): "product" | "variant" {
  if (text === null || text === "variant" || text === "consignment") return "variant";
  if (text !== "product") throw refused(13005, undefined, "groupBy");
  return text;
}

function daysSince(movedAt: number | undefined, atMs: number): number {
  return movedAt === undefined ? 0 : Math.max(0, Math.floor((atMs - movedAt) / DAY_MS));
}

function renderRow(row: StockRow, reading: Reading): JsonObject {
  const { account } = reading;
  const { goods } = row;
  const { values } = goods;
  const text = (name: string) => (typeof values[name] === "string" ? { [name]: values[name] as string } : {});
  const uom = referenceIn(ofGoods(goods, "uom", account));
  return {
    meta: rowMeta(goods, reading),
    stock: row.level.stock,
    inTransit: row.level.inTransit,
    reserve: row.level.reserve,
    quantity: available(row.level),
    name: String(values.name),
    ...text("code"),
    ...text("article"),
    price: costOf(goods, account),
    salePrice: salePriceOf(goods, account),
    ...(uom === undefined ? {} : { uom: renderReference(uom, reading) }),
    ...folderOf(goods, reading),
    ...imageOf(goods, reading),
    ...text("externalCode"),
    stockDays: row.stockDays,
  };
}

/** Returns a row's meta. Its href has a query (json-api 14.1). */
function rowMeta(goods: Stored, reading: Reading): JsonObject {
  const meta = metaOf(goods, reading);
  return { ...meta, href: `${String(meta.href)}?expand=supplier` };
}

function imageOf(goods: Stored, reading: Reading): JsonObject {
  const [image] = elementsIn(goods.values.images);
  if (image === undefined) return {};
  return { image: renderElement(image, IMAGE, `${String(metaOf(goods, reading).href)}/images`, reading, NOTHING_EXPANDED) };
}

function folderOf(goods: Stored, reading: Reading): JsonObject {
  const folder = reading.account.objects.pointedBy(ofGoods(goods, "productFolder", reading.account));
  if (folder === undefined) return {};
  const { name, pathName } = folder.values;
  return { folder: { meta: metaOf(folder, reading), name: String(name), pathName: String(pathName ?? "") } };
}
