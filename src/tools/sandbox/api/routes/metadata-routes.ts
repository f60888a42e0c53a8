import { refused, withinEach } from "../../call/refusal.ts";
import { collectionMeta, contextOf, readPage } from "../../reading/page.ts";
import { nestedMeta, renderObject } from "../../reading/render.ts";
import { DEFINITION } from "../../types/custom/definition.ts";
import { STATE } from "../../types/custom/state.ts";
import type { EntityType, Reading } from "../../types/entity-type.ts";
import { isUuid } from "../../values/ids.ts";
import type { Json, JsonObject } from "../../values/json.ts";
import type { Stored } from "../../values/stored.ts";
import { eachElement } from "../../writing/mass.ts";
import type { Sent } from "../../writing/read-fields.ts";
import { readReference } from "../../writing/read-reference.ts";
import { committed, createObject, deleteObject, updateObject, type WriteRequest } from "../../writing/write.ts";
import { type Answer, EMPTY, ok } from "../answers/answer.ts";
import { arrayBody, objectBody } from "../requests/body.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";
import { typeOf } from "./type-in-path.ts";

/** Metadata of types, with their additional fields and states (json-api 8). */
export const METADATA_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: "entity/metadata", handle: ofMany },
  { method: "GET", pattern: "entity/:type/metadata", handle: ofType },
  { method: "GET", pattern: "entity/:type/metadata/attributes", handle: (request) => list(definitions(request), request) },
  { method: "POST", pattern: "entity/:type/metadata/attributes", handle: (request) => create(definitions(request), request) },
  { method: "POST", pattern: "entity/:type/metadata/attributes/delete", handle: removeDefinitions },
  { method: "GET", pattern: "entity/:type/metadata/attributes/:id", handle: (request) => read(definitions(request), request) },
  { method: "PUT", pattern: "entity/:type/metadata/attributes/:id", handle: (request) => update(definitions(request), request) },
  { method: "DELETE", pattern: "entity/:type/metadata/attributes/:id", handle: (request) => remove(definitions(request), request) },
  { method: "GET", pattern: "entity/:type/metadata/states", handle: (request) => list(states(request), request) },
  { method: "POST", pattern: "entity/:type/metadata/states", handle: (request) => create(states(request), request) },
  { method: "GET", pattern: "entity/:type/metadata/states/:id", handle: (request) => read(states(request), request) },
  { method: "PUT", pattern: "entity/:type/metadata/states/:id", handle: (request) => update(states(request), request) },
  { method: "DELETE", pattern: "entity/:type/metadata/states/:id", handle: removeState },
];

/** The additional fields or the states of one type. */
interface Belonging {
  readonly type: EntityType;
  readonly of: string;
  /** The error codes for callers without administrator rights. */
  readonly change: number;
  readonly delete: number;
}

function definitions(request: ApiRequest): Belonging {
  const { name, attributesOf } = typeOf(request);
  if (attributesOf === undefined) throw refused(14002, undefined, name);
  return { type: DEFINITION, of: attributesOf, change: 14010, delete: 14013 };
}

function states(request: ApiRequest): Belonging {
  const { name, states: has } = typeOf(request);
  if (!has) throw refused(1002, undefined, request.path);
  return { type: STATE, of: name, change: 1075, delete: 1018 };
}

function ofType(request: ApiRequest): Answer {
  // Some types, such as `application`, have metadata but no list. `typeOf` would refuse them.
  const named = request.reading.catalogue.get(request.params.type ?? "");
  const type = named?.metadata === true ? named : typeOf(request);
  if (!type.metadata) throw refused(1002, undefined, request.path);
  return ok(metadataOf(type, request.reading));
}

/** Returns the metadata of several types. `filter=type=product;type=retaildemand` selects types; without it all types are listed. */
function ofMany({ reading }: ApiRequest): Answer {
  const filter = reading.call.query.get("filter");
  const wanted =
    filter === null
      ? undefined
      : new Set(filter.split(";").map((condition) => /^type=(.+)$/.exec(condition)?.[1] ?? unknownFilter(condition)));
  const types = [...reading.catalogue.values()].filter((type) => type.metadata && (wanted?.has(type.name) ?? true));
  return ok(Object.fromEntries(types.map((type) => [type.name, metadataOf(type, reading)])));
}

function unknownFilter(condition: string): never {
  throw refused(1034, undefined, `неизвестное условие '${condition}'`);
}

function metadataOf(type: EntityType, reading: Reading): JsonObject {
  const { api, query, version } = reading.call;
  const answer: JsonObject = { meta: { href: `${api}/entity/${type.name}/metadata`, mediaType: "application/json" } };
  if (type.describes !== undefined) return { ...answer, [type.describes.list]: describedBy(type.describes.type, reading) };
  if (type.attributesOf !== undefined) {
    const rows = (): Json[] => belongingTo(DEFINITION, type.attributesOf ?? "", reading).map((each) => renderObject(each, reading));
    const href = `${api}/entity/${type.attributesOf}/metadata/attributes`;
    const meta = nestedMeta(href, DEFINITION.name, belongingTo(DEFINITION, type.attributesOf, reading).length);
    const expanded = query.get("expand")?.split(",").includes("attributes") === true;
    // Answers of older versions contain the fields themselves, answers of the current version a collection (json-api 8.1).
    answer.attributes = version === "1.2" ? { meta, ...(expanded ? { rows: rows() } : {}) } : rows();
  }
  if (type.states) answer.states = belongingTo(STATE, type.name, reading).map((state): Json => renderObject(state, reading));
  answer.groups = groupsOf(type, reading);
  answer.createShared = type.createShared?.(reading) ?? false;
  return answer;
}

export function describedBy(type: string, reading: Reading): Json[] {
  return [...reading.account.objects.all(type).values()].map((each) => renderObject(each, reading));
}

/** Returns the group names of a type's objects: the tags of counterparties. */
function groupsOf(type: EntityType, { account }: Reading): Json[] {
  const tags = [...account.objects.all(type.name).values()].flatMap(({ values }) =>
    Array.isArray(values.tags) ? (values.tags as string[]) : [],
  );
  return [...new Set(tags)].sort();
}

function belongingTo(type: EntityType, of: string, { account }: Reading): readonly Stored[] {
  return [...account.objects.all(type.name).values()].filter(({ values }) => values.of === of);
}

function list({ type, of }: Belonging, { reading, path }: ApiRequest): Answer {
  const all = belongingTo(type, of, reading);
  const page = readPage(path, reading.call);
  const rows = all.slice(page.offset, page.offset + page.limit).map((each): Json => renderObject(each, reading));
  return ok({ context: contextOf(reading), meta: collectionMeta(path, type.name, all.length, page, reading), rows });
}

function read(belonging: Belonging, request: ApiRequest): Answer {
  return ok(renderObject(foundIn(belonging, request), request.reading));
}

/** Writes one object or an array. An element with `id` or `meta` is changed; any other element is created. */
async function create(belonging: Belonging, request: ApiRequest): Promise<Answer> {
  const { reading } = request;
  mustBeAdministrator(reading, belonging.change);
  const body = request.json();
  const written = (sent: Sent, write: WriteRequest) => {
    const target = targetIn(belonging, sent, reading);
    const stored = target === undefined ? createObject(owned(belonging), sent, write) : updateObject(belonging.type, target, sent, write);
    return () => renderObject(stored, reading);
  };
  if (Array.isArray(body)) return eachElement(arrayBody(body), reading, written);
  const sent = objectBody(body);
  return ok((await committed(reading, (write) => written(sent, write)))());
}

async function update(belonging: Belonging, request: ApiRequest): Promise<Answer> {
  const { reading } = request;
  mustBeAdministrator(reading, belonging.change);
  const body = request.json();
  if (Array.isArray(body)) throw refused(2009);
  const sent = objectBody(body);
  const stored = await committed(reading, (write) => updateObject(belonging.type, foundIn(belonging, request), sent, write));
  return ok(renderObject(stored, reading));
}

async function remove(belonging: Belonging, request: ApiRequest): Promise<Answer> {
  const { reading } = request;
  mustBeAdministrator(reading, belonging.delete);
  await committed(reading, (write) => deleteObject(belonging.type, foundIn(belonging, request), write));
  return EMPTY;
}

/** Deletes a state. Like the live service, answers 404 without a body for a missing state. */
async function removeState(request: ApiRequest): Promise<Answer> {
  const belonging = states(request);
  const known = belongingTo(STATE, belonging.of, request.reading).some(({ id }) => id === request.params.id);
  return known ? remove(belonging, request) : { status: 404 };
}

/** Deletes all given definitions or none. A meta that matches no field of the type fails the whole request. */
async function removeDefinitions(request: ApiRequest): Promise<Answer> {
  const { reading } = request;
  const belonging = definitions(request);
  mustBeAdministrator(reading, belonging.delete);
  const elements = arrayBody(request.json());
  await committed(reading, (write) => {
    const doomed = withinEach(elements, (element) => definitionMeant(element, belonging, reading));
    for (const stored of new Set(doomed)) deleteObject(belonging.type, stored, write);
  });
  return EMPTY;
}

function definitionMeant(element: unknown, belonging: Belonging, reading: Reading): Stored {
  const stored =
    typeof element === "object" && element !== null ? targetIn(belonging, { meta: Reflect.get(element, "meta") }, reading) : undefined;
  if (stored === undefined) throw refused(14011);
  return stored;
}

/** Returns the definition or state for an element's `meta` or `id`. Undefined: the element is new. */
function targetIn({ type, of }: Belonging, sent: Sent, reading: Reading): Stored | undefined {
  const id =
    typeof sent.id === "string"
      ? sent.id.toLowerCase()
      : sent.meta === undefined
        ? undefined
        : readReference(sent, "meta", [type.name], reading).id;
  if (id === undefined) return undefined;
  const stored = reading.account.objects.get(type.name, id);
  if (stored?.values.of !== of) throw type === DEFINITION ? refused(14003, undefined, id) : refused(1021, undefined, id);
  return stored;
}

function foundIn({ type, of }: Belonging, { params, reading }: ApiRequest): Stored {
  const id = (params.id ?? "").toLowerCase();
  if (!isUuid(id)) throw refused(1000, undefined, id);
  const stored = reading.account.objects.get(type.name, id);
  if (stored?.values.of !== of) throw refused(1021, undefined, id);
  return stored;
}

/** Returns a type that sets `of` in new objects. */
function owned({ type, of }: Belonging): EntityType {
  return { ...type, complete: (draft, writing) => ({ ...(type.complete?.(draft, writing) ?? draft), of }) };
}

function mustBeAdministrator({ call }: Reading, code: number): void {
  if (!call.caller.administrator) throw refused(code, undefined, "states");
}
