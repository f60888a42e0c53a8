import { Refusal, refused, type Step, withinEach } from "../../call/refusal.ts";
import { withAsked } from "../../reading/asked.ts";
import { type Expand, NOTHING_EXPANDED, readExpand } from "../../reading/expand.ts";
import { collectionMeta, contextOf, MAX_EXPANDED_LIMIT, type Page, readPage } from "../../reading/page.ts";
import { renderElement, renderObject } from "../../reading/render.ts";
import { elementTypeOf } from "../../types/element-types.ts";
import type { ElementType, EntityType } from "../../types/entity-type.ts";
import { isUuid } from "../../values/ids.ts";
import type { Json } from "../../values/json.ts";
import { type Element, elementsIn, type Stored, type Value } from "../../values/stored.ts";
import { idIn, writeElement } from "../../writing/deep.ts";
import { isForeignLine } from "../../writing/foreign-lines.ts";
import type { Sent } from "../../writing/read-fields.ts";
import { rewriteObject } from "../../writing/write.ts";
import { type Answer, EMPTY, ok } from "../answers/answer.ts";
import { arrayBody, objectBody } from "../requests/body.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";
import { storedOf, typeOf } from "./type-in-path.ts";

/**
 * Elements of nested collections: lines, components, bank accounts, contact persons (json-api 7.3).
 * The owner's rules check every change. A webhook reports a change of the owner (json-api D22).
 */
export const ELEMENT_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: "entity/:type/:id/:list", handle: list },
  { method: "POST", pattern: "entity/:type/:id/:list", handle: add },
  { method: "POST", pattern: "entity/:type/:id/:list/delete", handle: removeMany },
  { method: "GET", pattern: "entity/:type/:id/:list/:element", handle: read },
  { method: "PUT", pattern: "entity/:type/:id/:list/:element", handle: update },
  { method: "DELETE", pattern: "entity/:type/:id/:list/:element", handle: remove },
];

interface Held {
  readonly owner: EntityType;
  readonly stored: Stored;
  readonly name: string;
  readonly type: ElementType;
  readonly elements: readonly Element[];
}

function list(request: ApiRequest): Answer {
  const { reading, path } = request;
  const page = readPage(path, reading.call);
  const targets = collectionOf(request);
  if (targets !== undefined) return listObjects(targets.types[0] ?? "", targets.objects, page, request);
  const { type, elements } = shownBy(request);
  const stated = reading.call.query.has("limit") && page.limit <= MAX_EXPANDED_LIMIT;
  const expand = stated ? expandOf(type, request) : NOTHING_EXPANDED;
  const asking = { ...request, reading: withAsked(reading, stated) };
  const rows = pageOf(elements, page).map((each) => render(each, type, expand, asking));
  return ok({ context: contextOf(reading), meta: collectionMeta(path, type.name, elements.length, page, reading), rows });
}

/** Lists a collection of objects with their own addresses (`productFolders` and `masterRetailStores` of a point of sale). */
function listObjects(type: string, objects: readonly Stored[], page: Page, { reading, path }: ApiRequest): Answer {
  const rows = pageOf(objects, page).map((each): Json => renderObject(each, reading));
  return ok({ context: contextOf(reading), meta: collectionMeta(path, type, objects.length, page, reading), rows });
}

function read(request: ApiRequest): Answer {
  const held = shownBy(request);
  const asking = { ...request, reading: withAsked(request.reading, true) };
  return ok(render(elementIn(held, request), held.type, expandOf(held.type, request), asking));
}

/** Adds one element or an array. The answer is an array (json-api 7.3). */
async function add(request: ApiRequest): Promise<Answer> {
  const body = request.json();
  const sent = Array.isArray(body) ? withinEach(arrayBody(body), (each) => objectBody(each)) : [objectBody(body)];
  const { type, expand } = writable(request, 1011);
  const asking = { ...request, reading: withAsked(request.reading, true) };
  const ids = await write(request, (held) => {
    const written = (each: Sent) => {
      refuseForeign(idIn(each), held, request);
      return writeElement(held.type, each, undefined, request.reading);
    };
    const added = Array.isArray(body) ? withinEach(sent, written) : sent.map(written);
    const first = held.elements.length;
    keep(held, [...held.elements, ...added], request, (index) => (index < first ? undefined : Array.isArray(body) ? [index - first] : []));
    return new Set(added.map(({ id }) => id));
  });
  const { elements } = shownBy(request);
  const rows = elements.filter(({ id }) => ids.has(id)).map((each) => render(each, type, expand, asking));
  return { status: type.plainStatuses === true ? 201 : 200, body: rows };
}

async function update(request: ApiRequest): Promise<Answer> {
  const body = request.json();
  if (Array.isArray(body)) throw refused(2009);
  const sent = objectBody(body);
  const { type, expand } = writable(request, 1026);
  const asking = { ...request, reading: withAsked(request.reading, true) };
  await write(request, (held) => {
    const before = elementIn(held, request);
    const after = writeElement(held.type, sent, before, request.reading);
    keep(
      held,
      held.elements.map((element) => (element === before ? after : element)),
      request,
      (index) => (held.elements[index] === before ? [] : undefined),
    );
  });
  return ok(render(elementIn(shownBy(request), request), type, expand, asking));
}

async function remove(request: ApiRequest): Promise<Answer> {
  const { type } = writable(request, 1010);
  await write(request, (held) => {
    const doomed = elementIn(held, request);
    keep(
      held,
      held.elements.filter((element) => element !== doomed),
      request,
    );
  });
  return type.plainStatuses === true ? { status: 204 } : EMPTY;
}

/**
 * Removes all given elements or none, because the rules concern the whole collection. Throws 1046 for an unknown element, 1012 for an
 * element without an id.
 */
async function removeMany(request: ApiRequest): Promise<Answer> {
  const elements = withinEach(arrayBody(request.json()), (each) => objectBody(each));
  writable(request, 1010);
  const ids = withinEach(elements, idMeant);
  await write(request, (held) => {
    const known = new Set(held.elements.map(({ id }) => id));
    withinEach(ids, (id) => {
      if (!known.has(id)) throw refused(1046, undefined, id);
    });
    keep(
      held,
      held.elements.filter(({ id }) => !ids.includes(id)),
      request,
    );
  });
  const word = request.reading.call.language === "ru" ? "успешно удалена" : "was deleted";
  return ok(ids.map((id) => ({ info: `UUID '${id}' ${word}` })));
}

function idMeant(sent: Sent): string {
  const id = idIn(sent);
  if (id === undefined) throw refused(1012);
  return id;
}

/** Returns the collection with the values computed for answers. */
function shownBy(request: ApiRequest): Held {
  const held = heldBy(request);
  const derived = held.owner.derive?.(held.stored, request.reading.account)[held.name];
  return derived === undefined ? held : { ...held, elements: elementsIn(derived) };
}

function heldBy(request: ApiRequest): Held {
  const owner = typeOf(request);
  owner.guard?.("read", request.reading.call);
  const name = request.params.list ?? "";
  const type = elementTypeOf(owner, name);
  if (type === undefined) throw refused(1002, undefined, request.path);
  const stored = parentOf(request, owner);
  return { owner, stored, name, type, elements: elementsIn(stored.values[name]) };
}

function collectionOf(request: ApiRequest): { types: readonly string[]; objects: readonly Stored[] } | undefined {
  const owner = typeOf(request);
  const kind = owner.fields.find(({ name }) => name === request.params.list)?.kind;
  if (kind?.is !== "collection") return undefined;
  const value = parentOf(request, owner).values[request.params.list ?? ""];
  const { objects } = request.reading.account;
  const found = (Array.isArray(value) ? (value as readonly Value[]) : []).flatMap((each) => objects.pointedBy(each) ?? []);
  return { types: kind.types, objects: found };
}

/** Returns the collection's owner. Throws 1020 if it is missing, 1021 if the caller may not see it, 1000 for an invalid id. */
function parentOf(request: ApiRequest, owner: EntityType): Stored {
  const id = (request.params.id ?? "").toLowerCase();
  if (isUuid(id) && request.reading.account.objects.get(owner.name, id) === undefined) throw refused(1020, undefined, id);
  return storedOf(request, owner);
}

/** Returns the element in the path. Throws 1000 for an invalid id, 1046 for a line of another document, 1021 for a missing element. */
function elementIn(held: Held, request: ApiRequest): Element {
  const id = (request.params.element ?? "").toLowerCase();
  if (!isUuid(id)) throw refused(1000, undefined, id);
  const found = held.elements.find((element) => element.id === id);
  if (found !== undefined) return found;
  refuseForeign(id, held, request);
  throw refused(1021, undefined, id);
}

function refuseForeign(id: string | undefined, { stored, name }: Held, { reading }: ApiRequest): void {
  if (id !== undefined && isForeignLine(id, name, stored, reading)) throw refused(1046, undefined, id);
}

/**
 * Throws if the elements are read-only or the caller may not change their owner. Also reads `expand`, because a wrong `expand` must be
 * refused before the first change.
 */
function writable(request: ApiRequest, code: number): { type: ElementType; expand: Expand } {
  const { owner, type, name } = heldBy(request);
  if (type.readOnly === true || !owner.offers.has("update")) throw refused(code, undefined, name);
  owner.guard?.("update", request.reading.call);
  return { type, expand: expandOf(type, request) };
}

async function write<T>(request: ApiRequest, work: (held: Held) => T): Promise<T> {
  const { account, call } = request.reading;
  return await account.commit(() => work(heldBy(request)), call);
}

/**
 * Writes the owner with these elements. The owner's rules check the whole list, but the body has only a part. `inBody` returns an element's
 * path in the body, or undefined if the body lacks the element.
 */
function keep(
  { owner, stored, name }: Held,
  elements: readonly Element[],
  { reading }: ApiRequest,
  inBody: (index: number) => readonly Step[] | undefined = () => undefined,
): void {
  const value: Value = elements.map(({ id, values }) => ({ id, values }));
  try {
    rewriteObject(owner, stored, { [name]: value }, { reading, nowMs: reading.account.clock.nowMs() });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw error.moved(([list, index, ...rest]) => {
      const way = list === name && typeof index === "number" ? inBody(index) : undefined;
      return way === undefined ? [] : [...way, ...rest];
    });
  }
}

function expandOf(type: ElementType, { reading }: ApiRequest): Expand {
  return readExpand(reading.call.query, type, reading.catalogue);
}

function render(element: Element, type: ElementType, expand: Expand, { reading, path, params }: ApiRequest): Json {
  const [section, owner, id] = path.split("/");
  return renderElement(element, type, `${reading.call.api}/${section}/${owner}/${id}/${params.list}`, reading, expand);
}

function pageOf<T>(all: readonly T[], { limit, offset }: Page): readonly T[] {
  return all.slice(offset, offset + limit);
}
