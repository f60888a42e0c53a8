import { refused } from "../../call/refusal.ts";
import { stockAll, stockByStore } from "../../reports/stock-all.ts";
import { stockByOperation } from "../../reports/stock-by-operation.ts";
import { stockCurrent } from "../../reports/stock-current.ts";
import { ok } from "../answers/answer.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

/** The reports (json-api 14). */
export const REPORT_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: "report/stock/all", handle: ({ path, reading }) => ok(stockAll(path, reading)) },
  { method: "GET", pattern: "report/stock/bystore", handle: ({ path, reading }) => ok(stockByStore(path, reading)) },
  { method: "GET", pattern: "report/stock/all/current", handle: ({ reading }) => ok(stockCurrent("all", reading)) },
  { method: "GET", pattern: "report/stock/bystore/current", handle: ({ reading }) => ok(stockCurrent("bystore", reading)) },
  // The sandbox has no stock by slot, so the report is empty.
  { method: "GET", pattern: "report/stock/byslot/current", handle: bySlot },
  { method: "GET", pattern: "report/stock/byoperation", handle: ({ reading }) => ok(stockByOperation(reading)) },
];

function bySlot({ reading }: ApiRequest) {
  if (!reading.call.caller.administrator) throw refused(13004);
  return ok([]);
}
