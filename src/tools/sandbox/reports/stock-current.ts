import type { Account } from "../account/account.ts";
import { refused } from "../call/refusal.ts";
import { readConditions } from "../reading/filter/conditions.ts";
import { uuidConstant } from "../reading/filter/constant.ts";
import { available, STOCKED_TYPES, type StockLevel, type StockTable, stockNow, sumOfStock } from "../stock/stock.ts";
import type { Reading } from "../types/entity-type.ts";
import { readDatetime } from "../values/datetime.ts";
import type { Json } from "../values/json.ts";

/** How far back `changedSince` may reach (json-api 14.2). */
const MAX_BACK_MS = 24 * 3_600_000;

/** The kinds of stock. Each is also the name of the value in a row. */
const STOCK_TYPES: ReadonlyMap<string, (level: StockLevel) => number> = new Map([
  ["stock", ({ stock }: StockLevel) => stock],
  ["freeStock", ({ stock, reserve }: StockLevel) => stock - reserve],
  ["quantity", available],
  ["reserve", ({ reserve }: StockLevel) => reserve],
  ["inTransit", ({ inTransit }: StockLevel) => inTransit],
]);

/**
 * Returns the short report (json-api 14.2), an array without pages. Goods that have neither a document nor opening stock are missing.
 * Throws 13004 if the caller has no administrator rights.
 */
export function stockCurrent(kind: "all" | "bystore", reading: Reading): Json[] {
  const { account, call } = reading;
  if (!call.caller.administrator) throw refused(13004);
  const stockType = call.query.get("stockType") ?? "stock";
  const measure = STOCK_TYPES.get(stockType);
  if (measure === undefined) throw refused(13005, undefined, "stockType");
  const changedSince = readChangedSince(reading);
  const zeros = changedSince !== undefined || call.query.get("include") === "zeroLines";
  const filter = readIds(reading);
  const table = stockNow(account);
  const underway = recalculating(table, reading);
  // Goods under recalculation are missing. With `withRecalculate=true`, `bystore` shows them with null.
  const shown = kind === "bystore" && call.query.get("withRecalculate") === "true";
  return goodsThatMoved(account, table.levels)
    .filter((id) => filter.goods.size === 0 || filter.goods.has(id))
    .filter((id) => changedSince === undefined || (table.changedAt.get(id) ?? 0) >= changedSince)
    .filter((id) => shown || !underway(id))
    .flatMap((id) => linesOf(id, table.levels.get(id) ?? new Map(), kind, filter.stores))
    .map(({ level, ...ids }) => ({ ids, value: underway(ids.assortmentId) ? null : measure(level) }))
    .filter(({ value }) => zeros || value !== 0)
    .map(({ ids, value }): Json => ({ ...ids, [stockType]: value }));
}

/**
 * Whether the stock of goods is being recalculated. A recalculation takes as long as the settings delay a document's effect (json-api 14.1,
 * D37).
 */
function recalculating({ changedAt }: StockTable, { account, call }: Reading): (id: string) => boolean {
  const { stockDelayMs } = call.settings;
  const sinceMs = account.clock.nowMs() - stockDelayMs;
  return (id) => stockDelayMs > 0 && (changedAt.get(id) ?? 0) > sinceMs;
}

type Line = { assortmentId: string; storeId?: string | null; level: StockLevel };

function goodsThatMoved(account: Account, levels: ReadonlyMap<string, unknown>): readonly string[] {
  return [...levels.keys()].filter((id) => STOCKED_TYPES.some((type) => account.objects.get(type, id) !== undefined));
}

function linesOf(id: string, byStore: ReadonlyMap<string, StockLevel>, kind: "all" | "bystore", stores: ReadonlySet<string>): Line[] {
  const lines = [...byStore].filter(([store]) => stores.size === 0 || stores.has(store));
  if (kind === "bystore") {
    return lines.map(([store, level]) => ({ assortmentId: id, storeId: store === "" ? null : store, level }));
  }
  return [{ assortmentId: id, level: sumOfStock(lines.map(([, level]) => level)) }];
}

function readChangedSince({ account, call }: Reading): number | undefined {
  const text = call.query.get("changedSince");
  if (text === null) return undefined;
  const instant = readDatetime(text);
  const nowMs = account.clock.nowMs();
  if (instant === undefined || instant > nowMs || instant < nowMs - MAX_BACK_MS) throw refused(13005, undefined, "changedSince");
  return instant;
}

/** Reads `filter=assortmentId=a,b;storeId=c`. Several ids are separated by commas, or the key is repeated. */
function readIds({ call }: Reading): { goods: ReadonlySet<string>; stores: ReadonlySet<string> } {
  const ids = { assortmentId: new Set<string>(), storeId: new Set<string>() };
  for (const { key, operator, constant } of readConditions(call.query.get("filter") ?? "")) {
    if ((key !== "assortmentId" && key !== "storeId") || operator !== "=") throw refused(1034, undefined, key);
    for (const id of constant.split(",")) ids[key].add(uuidConstant(id, key));
  }
  return { goods: ids.assortmentId, stores: ids.storeId };
}
