import { refused, withinEach } from "../../call/refusal.ts";
import { contentOf } from "../../files/blob.ts";
import { type Downloads, FILE_LINK_MS, MAX_LINK_SECONDS, mediaTypeOf } from "../../files/downloads.ts";
import { withAsked } from "../../reading/asked.ts";
import { collectionMeta, contextOf, MAX_EXPANDED_LIMIT, readPage } from "../../reading/page.ts";
import { renderElement } from "../../reading/render.ts";
import { MAX_FILES_AT_ONCE } from "../../types/attachments.ts";
import { elementTypeOf } from "../../types/element-types.ts";
import type { ElementType, EntityType, Reading } from "../../types/entity-type.ts";
import type { Json } from "../../values/json.ts";
import { type Element, elementsIn, type Stored, type Value } from "../../values/stored.ts";
import { checkCount, replaceElements, writeElement } from "../../writing/deep.ts";
import { rewriteObject } from "../../writing/write.ts";
import { type Answer, EMPTY, ok } from "../answers/answer.ts";
import { arrayBody, objectBody } from "../requests/body.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";
import { storedOf, typeOf } from "./type-in-path.ts";

type ListName = "images" | "files";

/** The routes of images and files below their owner, and of their content (json-api 15). */
export function fileRoutes(downloads: Downloads): readonly ApiRoute[] {
  const of = (name: ListName): ApiRoute[] => [
    { method: "GET", pattern: `entity/:type/:id/${name}`, handle: (request) => list(name, request) },
    { method: "POST", pattern: `entity/:type/:id/${name}`, handle: (request) => add(name, request) },
    { method: "POST", pattern: `entity/:type/:id/${name}/delete`, handle: (request) => removeMany(name, request) },
    {
      method: "DELETE",
      pattern: `entity/:type/:id/${name}/:element`,
      handle: (request) => remove(name, [request.params.element ?? ""], request),
    },
  ];
  return [...of("images"), ...of("files"), { method: "GET", pattern: "download/:blob", handle: (request) => download(downloads, request) }];
}

interface Held {
  readonly owner: EntityType;
  readonly stored: Stored;
  readonly type: ElementType;
  readonly elements: readonly Element[];
}

function heldBy(name: ListName, request: ApiRequest): Held {
  const owner = typeOf(request);
  const type = elementTypeOf(owner, name);
  if (type === undefined) throw refused(1002, undefined, request.path);
  const stored = storedOf(request, owner);
  return { owner, stored, type, elements: elementsIn(stored.values[name]) };
}

function list(name: ListName, request: ApiRequest): Answer {
  const { reading, path } = request;
  const { type, elements } = heldBy(name, request);
  const page = readPage(path, reading.call);
  const asking = withAsked(reading, reading.call.query.has("limit") && page.limit <= MAX_EXPANDED_LIMIT);
  const href = `${reading.call.api}/${path}`;
  const rows = elements.slice(page.offset, page.offset + page.limit).map((each): Json => renderElement(each, type, href, asking, {}));
  return ok({ context: contextOf(reading), meta: collectionMeta(path, type.name, elements.length, page, reading), rows });
}

/**
 * Adds one image or file, or an array of files. An array of images replaces the list of images. In this array, an element with `meta` keeps
 * the stored image at the address in `meta`.
 */
async function add(name: ListName, request: ApiRequest): Promise<Answer> {
  const { reading, path } = request;
  const body = request.json();
  const sent = Array.isArray(body) ? arrayBody(body) : [objectBody(body)];
  if (name === "files" && sent.length > MAX_FILES_AT_ONCE) throw refused(1082);
  const after = await reading.account.commit(() => {
    const held = heldBy(name, request);
    const { type, elements } = held;
    const replaces = Array.isArray(body) && name === "images";
    const next = replaces
      ? replaceElements(type, name, sent, elements, reading)
      : joined(elements, Array.isArray(body) ? withinEach(sent, written(type, reading)) : sent.map(written(type, reading)));
    checkCount(type, next.length);
    keep(held, name, next, request);
    return { type, next };
  }, reading.call);
  return ok(after.next.map((each): Json => renderElement(each, after.type, `${reading.call.api}/${path}`, reading, {})));
}

function written(type: ElementType, reading: Reading): (each: unknown) => Element {
  return (each) => writeElement(type, objectBody(each), undefined, reading);
}

function joined(before: readonly Element[], added: readonly Element[]): readonly Element[] {
  return [...new Map([...before, ...added].map((element) => [element.id, element])).values()];
}

function removeMany(name: ListName, request: ApiRequest): Promise<Answer> {
  const ids = withinEach(arrayBody(request.json()), (each) => {
    const href: unknown = Reflect.get(Object(Reflect.get(Object(each), "meta")), "href");
    if (typeof href !== "string" || href === "") throw refused(1012);
    return href.split("?")[0]?.split("/").at(-1) ?? "";
  });
  return remove(name, ids, request);
}

async function remove(name: ListName, ids: readonly string[], request: ApiRequest): Promise<Answer> {
  await request.reading.account.commit(() => {
    const held = heldBy(name, request);
    const doomed = new Set(ids.map((id) => id.toLowerCase()));
    for (const id of doomed)
      if (!held.elements.some((element) => element.id === id)) throw refused(name === "images" ? 51007 : 1021, undefined, id);
    const left = held.elements.filter(({ id }) => !doomed.has(id));
    keep(held, name, left, request);
  }, request.reading.call);
  return EMPTY;
}

/** Writes the owner with these elements. The owner's rules apply: a document in the recycle bin is refused (json-api 7.1). */
function keep({ owner, stored }: Held, name: ListName, elements: readonly Element[], { reading }: ApiRequest): void {
  const value: Value = elements.map(({ id, values }) => ({ id, values }));
  rewriteObject(owner, stored, { [name]: value }, { reading, nowMs: reading.account.clock.nowMs() });
}

/** Redirects to a temporary link that needs no authorization. A header may set the link's lifetime (json-api 15). */
function download(downloads: Downloads, { params, reading, headers, names }: ApiRequest): Answer {
  const blob = params.blob ?? "";
  if (contentOf(blob, reading) === undefined) throw refused(1021, undefined, blob);
  const downloadId = reading.account.passingId();
  downloads.open(downloadId, lifetimeMs(headers, names.linkSeconds), () => {
    const content = contentOf(blob, reading);
    return content === undefined ? undefined : { ...content, type: mediaTypeOf(content.filename) };
  });
  return { status: 302, headers: { Location: `${reading.call.base}/sandbox/download/${downloadId}` } };
}

function lifetimeMs(headers: ApiRequest["headers"], name: string): number {
  const text = headers[name.toLowerCase()];
  if (text === undefined) return FILE_LINK_MS;
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_LINK_SECONDS) throw refused(3027, undefined, name);
  return seconds * 1000;
}
