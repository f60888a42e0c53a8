import { refused } from "../../call/refusal.ts";
import { withAsked } from "../../reading/asked.ts";
import { NOTHING_EXPANDED, readExpand } from "../../reading/expand.ts";
import { matching } from "../../reading/list.ts";
import { MAX_EXPANDED_LIMIT, pageHead, pageRows, readPage } from "../../reading/page.ts";
import { renderObject } from "../../reading/render.ts";
import type { EntityType } from "../../types/entity-type.ts";
import { isUuid } from "../../values/ids.ts";
import type { Json } from "../../values/json.ts";
import type { Stored } from "../../values/stored.ts";
import { deleteMany, writeMany } from "../../writing/mass.ts";
import { templateOf } from "../../writing/template.ts";
import { committed, createObject, deleteObject, updateObject } from "../../writing/write.ts";
import { type Answer, EMPTY, ok } from "../answers/answer.ts";
import { listBytes } from "../answers/json-bytes.ts";
import { arrayBody, objectBody } from "../requests/body.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";
import { storedOf, typeOf } from "./type-in-path.ts";

/** Objects of every type in the catalogue, at `entity/{type}` (json-api 6, 7). */
export const ENTITY_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: "entity/:type", handle: list },
  { method: "POST", pattern: "entity/:type", handle: create },
  { method: "PUT", pattern: "entity/:type", handle: refuseNoId },
  { method: "POST", pattern: "entity/:type/delete", handle: removeMany },
  { method: "PUT", pattern: "entity/:type/new", handle: template },
  { method: "POST", pattern: "entity/:type/:id", handle: refuseId },
  { method: "GET", pattern: "entity/:type/:id", handle: read },
  { method: "PUT", pattern: "entity/:type/:id", handle: update },
  { method: "DELETE", pattern: "entity/:type/:id", handle: remove },
];

function list(request: ApiRequest): Answer {
  const { reading, path } = request;
  const type = readable(request);
  const page = readPage(path, reading.call);
  // Without a `limit` of at most 100, a list ignores `expand` and known `fields` silently (json-api 6.5).
  const stated = reading.call.query.has("limit") && page.limit <= MAX_EXPANDED_LIMIT;
  const expand = stated ? readExpand(reading.call.query, type, reading.catalogue) : NOTHING_EXPANDED;
  const found = matching(type, reading);
  const rows = pageRows(found, page, withAsked(reading, stated), expand);
  return { status: 200, json: listBytes(pageHead(path, type.name, found.length, page, reading), rows) };
}

async function create(request: ApiRequest): Promise<Answer> {
  const type = offering(request, "create", 1011);
  const body = request.json();
  if (Array.isArray(body)) return writeMany(type, arrayBody(body), request.reading);
  const sent = objectBody(body);
  const show = wishedOf(type, request);
  const written = await committed(request.reading, (write) => createObject(type, sent, write));
  return ok(show(written));
}

/** Refuses a change without an id in the path (json-api 10.3). */
function refuseNoId(request: ApiRequest): never {
  typeOf(request);
  throw refused(1012);
}

/**
 * Refuses to create an object with an id in the path: 400/1006 (json-api 7.5). If the last segment is no id, the path exists, but not with
 * POST: 1039.
 */
function refuseId(request: ApiRequest): Answer {
  typeOf(request);
  throw isUuid(request.params.id ?? "") ? refused(1006) : refused(1039, undefined, "POST");
}

async function update(request: ApiRequest): Promise<Answer> {
  const type = offering(request, "update", 1026);
  const body = request.json();
  if (Array.isArray(body)) throw refused(2009);
  const sent = objectBody(body);
  const show = wishedOf(type, request);
  const written = await committed(request.reading, (write) => updateObject(type, storedOf(request, type), sent, write));
  return ok(show(written));
}

/** Returns a filled object without saving it. No later object gets the ids made here. Like a read, the answer waits for the disk. */
async function template(request: ApiRequest): Promise<Answer> {
  const type = readable(request);
  if (!type.offers.has("template")) throw refused(1029, undefined, type.name);
  const body = request.bodied ? request.json() : {};
  if (Array.isArray(body)) throw refused(2008);
  const { reading } = request;
  const expand = readExpand(reading.call.query, type, reading.catalogue);
  const filled = templateOf(type, objectBody(body), { reading, nowMs: reading.account.clock.nowMs() }, expand);
  await reading.account.lasting();
  return ok(filled);
}

async function remove(request: ApiRequest): Promise<Answer> {
  const type = offering(request, "delete", 1010);
  await committed(request.reading, (write) => deleteObject(type, storedOf(request, type), write));
  return EMPTY;
}

function removeMany(request: ApiRequest): Promise<Answer> {
  const type = offering(request, "delete", 1010);
  return deleteMany(type, arrayBody(request.json()), request.reading);
}

function read(request: ApiRequest): Answer {
  const type = readable(request);
  return ok(wishedOf(type, request)(storedOf(request, type)));
}

/**
 * Returns a function that renders the object. `fields` and `expand` must be read before the first change: if the answer would be refused,
 * nothing may be written.
 */
function wishedOf(type: EntityType, { reading }: ApiRequest): (stored: Stored) => Json {
  const asking = withAsked(reading, true);
  const expand = readExpand(reading.call.query, type, reading.catalogue);
  return (stored) => renderObject(stored, asking, expand);
}

function readable(request: ApiRequest): EntityType {
  const type = typeOf(request);
  type.guard?.("read", request.reading.call);
  return type;
}

function offering(request: ApiRequest, offer: "create" | "update" | "delete", code: number): EntityType {
  const type = typeOf(request);
  if (!type.offers.has(offer)) throw refused(code, undefined, type.name);
  type.guard?.(offer, request.reading.call);
  return type;
}
