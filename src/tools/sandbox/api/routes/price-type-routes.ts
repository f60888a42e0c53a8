import { refused, withinEach } from "../../call/refusal.ts";
import { renderObject } from "../../reading/render.ts";
import { PRICE_TYPE, priceTypes } from "../../types/directories/price-type.ts";
import type { Reading } from "../../types/entity-type.ts";
import type { Json } from "../../values/json.ts";
import type { Stored } from "../../values/stored.ts";
import { refuseUsed } from "../../writing/dependencies.ts";
import { readReference } from "../../writing/read-reference.ts";
import { committed, createObject, targetOf, updateObject, type WriteRequest } from "../../writing/write.ts";
import { type Answer, ok } from "../answers/answer.ts";
import { arrayBody, objectBody } from "../requests/body.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

const PATH = "context/companysettings/pricetype";
const MAX_TYPES = 100;
/** The types of goods. A price type used only by goods can be removed; answers then omit its prices. */
const PRICED = ["product", "variant", "bundle", "service"];

/** Routes of price types. Their list is an array without pages (json-api 13.13). */
export const PRICE_TYPE_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: PATH, handle: ({ reading }) => ok(renderedPriceTypes(reading)) },
  { method: "POST", pattern: PATH, handle: replace },
  { method: "GET", pattern: `${PATH}/default`, handle: readDefault },
  { method: "GET", pattern: `${PATH}/:id`, handle: read },
];

export function renderedPriceTypes(reading: Reading): Json[] {
  return priceTypes(reading.account).map((reference) => renderObject(targetOf(reference, reading), reading));
}

/** Replaces the whole list. Elements with `meta` are changed, elements without `meta` are created, missing price types are removed. */
async function replace(request: ApiRequest): Promise<Answer> {
  const { reading } = request;
  if (!reading.call.caller.administrator) throw refused(1017);
  const sent = arrayBody(request.json());
  if (sent.length > MAX_TYPES) throw refused(2007);
  await committed(reading, (write) => {
    const meant = withinEach(sent, (each) => meantBy(objectBody(each), reading));
    refuseEqualNames(sent, meant, reading);
    for (const stored of reading.account.objects.all(PRICE_TYPE.name).values()) if (!meant.includes(stored.id)) remove(stored, reading);
    withinEach(sent, (each, place) => put(objectBody(each), meant[place], place, write));
  });
  return ok(renderedPriceTypes(reading));
}

/** Throws 3006 if two price types of the new list have the same name. Two types may swap names. */
function refuseEqualNames(sent: readonly unknown[], meant: readonly (string | undefined)[], reading: Reading): void {
  const seen = new Set<unknown>();
  withinEach(sent, (each, place) => {
    const { name = reading.account.objects.get(PRICE_TYPE.name, meant[place] ?? "")?.values.name } = objectBody(each);
    if (name !== undefined && seen.has(name)) throw refused(3006, "name");
    seen.add(name);
  });
}

/** Returns the id of the price type in an element's `meta`. Undefined: the element is new. */
function meantBy(sent: Readonly<Record<string, unknown>>, reading: Reading): string | undefined {
  if (sent.meta === undefined) return undefined;
  return targetOf(readReference(sent, "meta", [PRICE_TYPE.name], reading, { foreign: 2024 }), reading).id;
}

function put(sent: Readonly<Record<string, unknown>>, id: string | undefined, place: number, write: WriteRequest): void {
  const { account } = write.reading;
  const before = id === undefined ? undefined : account.objects.get(PRICE_TYPE.name, id);
  const stored = before === undefined ? createObject(PRICE_TYPE, sent, write) : updateObject(PRICE_TYPE, before, sent, write);
  account.put({ ...stored, values: { ...stored.values, place } });
}

function remove(stored: Stored, reading: Reading): void {
  refuseUsed(stored, 1028, reading, ...PRICED);
  reading.account.remove(stored);
}

function read({ params, reading }: ApiRequest): Answer {
  const id = (params.id ?? "").toLowerCase();
  const stored = reading.account.objects.get(PRICE_TYPE.name, id);
  if (stored === undefined) throw refused(1021, undefined, id);
  return ok(renderObject(stored, reading));
}

function readDefault({ reading }: ApiRequest): Answer {
  const [first] = renderedPriceTypes(reading);
  if (first === undefined) throw refused(1021, undefined, "default");
  return ok(first);
}
