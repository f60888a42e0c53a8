import { refused } from "../../call/refusal.ts";
import { NOTHING_EXPANDED, readExpand } from "../../reading/expand.ts";
import { matching } from "../../reading/list.ts";
import { collectionMeta, contextOf, MAX_EXPANDED_LIMIT, pageHead, pageRows, readPage } from "../../reading/page.ts";
import { metaOf, renderObject } from "../../reading/render.ts";
import { CUSTOM_DIRECTORY, CUSTOM_ENTITY } from "../../types/custom/custom-entity.ts";
import type { EntityType, Reading } from "../../types/entity-type.ts";
import { isUuid } from "../../values/ids.ts";
import type { Json, JsonObject } from "../../values/json.ts";
import { referenceIn, type Stored } from "../../values/stored.ts";
import { deletedInfo, eachElement } from "../../writing/mass.ts";
import type { Sent } from "../../writing/read-fields.ts";
import { readReference } from "../../writing/read-reference.ts";
import { committed, createObject, deleteObject, updateObject, type WriteRequest } from "../../writing/write.ts";
import { type Answer, EMPTY, ok } from "../answers/answer.ts";
import { listBytes } from "../answers/json-bytes.ts";
import { arrayBody, objectBody } from "../requests/body.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";

const ALL = "entity/customentity";
const ONE = `${ALL}/:directory`;
const ELEMENT = `${ONE}/:id`;
const SETTINGS = "context/companysettings/metadata";

/**
 * Custom directories and their elements (json-api 8.3), and the company's settings with the list of directories.
 * `customEntityMeta` and the elements' `metadataHref` refer to this list. Only an administrator makes, renames and deletes directories.
 */
export const CUSTOM_ENTITY_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: SETTINGS, handle: settings },
  {
    method: "GET",
    pattern: `${SETTINGS}/customEntities/:directory`,
    handle: (request) => ok(inSettings(directoryIn(request), request.reading)),
  },
  { method: "GET", pattern: ALL, handle: listDirectories },
  { method: "POST", pattern: ALL, handle: createDirectory },
  { method: "GET", pattern: ONE, handle: listElements },
  { method: "POST", pattern: ONE, handle: writeElements },
  { method: "PUT", pattern: `${ALL}/new`, handle: refuseTemplate },
  { method: "PUT", pattern: ONE, handle: renameDirectory },
  { method: "DELETE", pattern: ONE, handle: removeDirectory },
  { method: "POST", pattern: `${ONE}/delete`, handle: removeElements },
  { method: "GET", pattern: ELEMENT, handle: (request) => elementAnswer(elementIn(request), request) },
  { method: "POST", pattern: ELEMENT, handle: refuseId },
  { method: "PUT", pattern: ELEMENT, handle: updateElement },
  { method: "DELETE", pattern: ELEMENT, handle: removeElement },
];

function settings({ reading }: ApiRequest): Answer {
  return ok({
    meta: { href: `${reading.call.api}/${SETTINGS}`, mediaType: "application/json" },
    customEntities: directories(reading).map((each): Json => inSettings(each, reading)),
  });
}

function listDirectories({ path, reading }: ApiRequest): Answer {
  const all = directories(reading);
  const page = readPage(path, reading.call);
  const rows = all.slice(page.offset, page.offset + page.limit).map((each): Json => renderDirectory(each, reading));
  return ok({ context: contextOf(reading), meta: collectionMeta(path, CUSTOM_ENTITY.name, all.length, page, reading), rows });
}

async function createDirectory(request: ApiRequest): Promise<Answer> {
  const body = request.json();
  if (Array.isArray(body)) throw refused(2026);
  mustBeAdministrator(request, 1045);
  const made = await committed(request.reading, (write) => createObject(CUSTOM_DIRECTORY, objectBody(body), write));
  return ok(renderDirectory(made, request.reading));
}

function refuseTemplate(): never {
  throw refused(1029, undefined, CUSTOM_ENTITY.name);
}

/** Refuses to create an object with an id in the path (json-api 7.5). */
function refuseId(): never {
  throw refused(1006);
}

async function renameDirectory(request: ApiRequest): Promise<Answer> {
  const body = request.json();
  if (Array.isArray(body)) throw refused(2009);
  mustBeAdministrator(request, 1017);
  const changed = await committed(request.reading, (write) =>
    updateObject(CUSTOM_DIRECTORY, directoryIn(request), objectBody(body), write),
  );
  return ok(renderDirectory(changed, request.reading));
}

/** Deletes the directory with its elements. Throws 1028 if a field uses the directory, 1023 if an object uses an element. */
async function removeDirectory(request: ApiRequest): Promise<Answer> {
  mustBeAdministrator(request, 1018);
  await committed(request.reading, (write) => deleteObject(CUSTOM_DIRECTORY, directoryIn(request), write));
  return EMPTY;
}

function listElements(request: ApiRequest): Answer {
  const { reading, path } = request;
  const directory = directoryIn(request);
  const page = readPage(path, reading.call);
  const stated = reading.call.query.has("limit") && page.limit <= MAX_EXPANDED_LIMIT;
  const expand = stated ? readExpand(reading.call.query, CUSTOM_ENTITY, reading.catalogue) : NOTHING_EXPANDED;
  const found = matching({ ...CUSTOM_ENTITY, visible: (stored) => liesIn(stored, directory) }, reading);
  return {
    status: 200,
    json: listBytes(pageHead(path, CUSTOM_ENTITY.name, found.length, page, reading), pageRows(found, page, reading, expand)),
  };
}

/** Writes one element or an array. `meta` means a change; without `meta` the element is created. */
async function writeElements(request: ApiRequest): Promise<Answer> {
  const { reading } = request;
  const body = request.json();
  const work = (sent: Sent, write: WriteRequest): Stored => {
    const directory = directoryIn(request);
    if (sent.meta === undefined) return createObject(elementOf(directory), sent, write);
    return updateObject(CUSTOM_ENTITY, elementMeant(sent, directory, reading), sent, write);
  };
  if (!Array.isArray(body)) return elementAnswer(await committed(request.reading, (write) => work(objectBody(body), write)), request);
  return eachElement(arrayBody(body), reading, (sent, write) => {
    const stored = work(sent, write);
    return () => renderObject(stored, reading);
  });
}

async function updateElement(request: ApiRequest): Promise<Answer> {
  const body = request.json();
  if (Array.isArray(body)) throw refused(2009);
  return elementAnswer(
    await committed(request.reading, (write) => updateObject(CUSTOM_ENTITY, elementIn(request), objectBody(body), write)),
    request,
  );
}

async function removeElement(request: ApiRequest): Promise<Answer> {
  await committed(request.reading, (write) => deleteObject(CUSTOM_ENTITY, elementIn(request), write));
  return EMPTY;
}

function removeElements(request: ApiRequest): Promise<Answer> {
  const { reading } = request;
  const directory = directoryIn(request);
  return eachElement(arrayBody(request.json()), reading, (sent, write) => {
    const stored = elementMeant(sent, directory, reading);
    deleteObject(CUSTOM_ENTITY, stored, write);
    return () => deletedInfo(stored, reading.call);
  });
}

function elementAnswer(stored: Stored, { reading }: ApiRequest): Answer {
  return ok(renderObject(stored, reading, readExpand(reading.call.query, CUSTOM_ENTITY, reading.catalogue)));
}

function directories({ account }: Reading): readonly Stored[] {
  return [...account.objects.all(CUSTOM_DIRECTORY.name).values()];
}

/** Returns the directory as its own address shows it. */
function renderDirectory({ id, values }: Stored, { call }: Reading): JsonObject {
  return { meta: listMeta(id, call), id, name: String(values.name) };
}

/** Returns the directory as the company's settings show it. */
function inSettings(stored: Stored, reading: Reading): JsonObject {
  const { id, values } = stored;
  return { meta: metaOf(stored, reading), entityMeta: listMeta(id, reading.call), id, name: String(values.name), createShared: true };
}

function listMeta(id: string, { api, base }: Reading["call"]): JsonObject {
  return { href: `${api}/${ALL}/${id}`, type: CUSTOM_ENTITY.name, mediaType: "application/json", uuidHref: `${base}/app/#custom_${id}` };
}

function directoryIn({ params, reading }: ApiRequest): Stored {
  return foundAs(CUSTOM_DIRECTORY, params.directory ?? "", reading);
}

function elementIn(request: ApiRequest): Stored {
  const stored = foundAs(CUSTOM_ENTITY, request.params.id ?? "", request.reading);
  if (!liesIn(stored, directoryIn(request))) throw refused(1021, undefined, stored.id);
  return stored;
}

function elementMeant(sent: Sent, directory: Stored, reading: Reading): Stored {
  const { id } = readReference(sent, "meta", [CUSTOM_ENTITY.name], reading);
  const stored = foundAs(CUSTOM_ENTITY, id, reading);
  if (!liesIn(stored, directory)) throw refused(1021, undefined, id);
  return stored;
}

function foundAs(type: EntityType, text: string, { account }: Reading): Stored {
  const id = text.toLowerCase();
  if (!isUuid(id)) throw refused(1000, undefined, text);
  const stored = account.objects.get(type.name, id);
  if (stored === undefined) throw refused(1021, undefined, id);
  return stored;
}

function liesIn({ values }: Stored, directory: Stored): boolean {
  return referenceIn(values.directory)?.id === directory.id;
}

/** Returns an element type that puts new elements into the directory. */
function elementOf({ type, id }: Stored): EntityType {
  return { ...CUSTOM_ENTITY, complete: (draft) => ({ ...draft, directory: { type, id } }) };
}

function mustBeAdministrator({ reading }: ApiRequest, code: number): void {
  if (!reading.call.caller.administrator) throw refused(code);
}
