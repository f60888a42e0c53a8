import { refused } from "../call/refusal.ts";
import { type FileFaults, storeFile } from "../files/blob.ts";
import { mediaTypeOf } from "../files/downloads.ts";
import type { JsonObject } from "../values/json.ts";
import { type Element, shapeIn, type Value, type Values } from "../values/stored.ts";
import type { ElementType, Reading, Writing } from "./entity-type.ts";
import { fieldTable } from "./field.ts";

/** The maximum number of images of goods (json-api 11.2). */
const MAX_IMAGES = 10;
/** The maximum number of files of an object, and of files in one request (json-api 11.2). */
const MAX_FILES = 100;
export const MAX_FILES_AT_ONCE = 10;

const IMAGE_SIGNATURES = ["89504e47", "ffd8ff", "47494638", "52494646", "424d"];

/**
 * A body has at most 20 MB (json-api 4), so this length refuses no `content`. A file that is too large is refused by the smaller limit of
 * `storeFile`, with the error code of its field.
 */
const MAX_CONTENT = 20 * 1024 * 1024;

export const IMAGE_BODY = fieldTable(`
  content   string(${MAX_CONTENT})
  filename  string(255)
`);

/**
 * Returns the image field after a write. `sent` is the body's value; undefined stands for null and removes the image. If a client sends
 * back an image from an answer, without content, the stored image stays.
 */
export function settleImage(sent: Values | undefined, before: Value | undefined, faults: FileFaults, writing: Writing): Value | undefined {
  if (sent === undefined) return undefined;
  const kept = shapeIn(before);
  const untouched = sent.content === undefined && (sent.filename === undefined || sent.filename === kept?.filename);
  if (kept !== undefined && untouched) return before;
  const { id, values } = attached(storeFile(sent, faults, writing), { updated: writing.nowMs });
  return { ...values, blob: id };
}

/** An image of goods (json-api 15). Its content is a separate object. Its meta has the addresses of the content. */
export const IMAGE: ElementType = {
  name: "image",
  anonymous: true,
  fields: fieldTable(`
    title     string(255)  ro
    filename  string(255)
    size      int          ro
    updated   datetime     ro
  `),
  max: { count: MAX_IMAGES, code: 51001 },
  accept: (sent, reading) => {
    const { content } = sent;
    if (typeof content === "string" && !isImage(content)) throw refused(51004);
    const stored = storeFile(sent, { size: 51005, name: 51002, content: 51003 }, reading);
    return attached(stored, { updated: reading.account.clock.nowMs() });
  },
  decorate: ({ values }, _href, reading) => {
    const { api, base, settings } = reading.call;
    const blob = String(values.blob);
    const permanent = settings.plan === "paid" && reading.asked === "downloadPermanentHref";
    return {
      meta: {
        downloadHref: `${api}/download/${blob}`,
        ...(permanent ? { downloadPermanentHref: `${base}/sandbox/image/${blob}` } : {}),
      },
      body: previews(blob, reading),
    };
  },
};

/** A file of a document or another object (json-api 15). */
export const FILE: ElementType = {
  name: "files",
  anonymous: true,
  fields: fieldTable(`
    title      string(255)  ro
    filename   string(255)
    size       int          ro
    created    datetime     ro
    createdBy  ref:employee ro
  `),
  max: { count: MAX_FILES, code: 1080 },
  accept: (sent, reading) => {
    const stored = storeFile(sent, { size: 1079, name: 1076, content: 1077 }, reading);
    const { type, id } = reading.call.caller.employee;
    return attached(stored, { created: reading.account.clock.nowMs(), createdBy: { type, id } });
  },
  decorate: ({ values }, _href, reading) => ({
    meta: { downloadHref: `${reading.call.api}/download/${String(values.blob)}` },
    // A picture file has previews.
    body: mediaTypeOf(String(values.filename)).startsWith("image/") ? previews(String(values.blob), reading) : {},
  }),
};

/** Returns the previews of a picture. The sandbox does not scale pictures, so every preview is the picture itself. */
function previews(blob: string, { call }: Reading): JsonObject {
  const preview = (miniature: boolean): JsonObject => ({
    href: `${call.api}/download/${blob}?miniature=${miniature}`,
    type: "image",
    mediaType: "image/png",
    downloadHref: `${call.base}/sandbox/image/${blob}`,
  });
  return { miniature: preview(true), tiny: preview(false) };
}

/** Returns the element for a file. Files with equal name and content are one element (json-api 15). */
function attached(stored: { filename: string; size: number; blob: string }, more: Values): Element {
  const { filename, size, blob } = stored;
  return { id: blob, values: { title: filename.replace(/\.[^.]+$/, ""), filename, size, blob, ...more } };
}

function isImage(content: string): boolean {
  const head = Buffer.from(content.slice(0, 16), "base64").toString("hex");
  return IMAGE_SIGNATURES.some((signature) => head.startsWith(signature));
}
