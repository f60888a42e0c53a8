import { type ServerResponse, STATUS_CODES, validateHeaderValue } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Json } from "../../values/json.ts";
import type { Answer } from "./answer.ts";

/** How this caller wants to be written to. */
interface WireForm {
  readonly gzip: boolean;
  readonly pretty: boolean;
}

const compress = promisify(gzip);

/**
 * Writes an answer out: JSON packed for whoever takes that, pages and empty bodies as they are. Throws for one that cannot be
 * written, and then nothing of it is: another one may be.
 */
export async function writeAnswer(response: ServerResponse, answer: Answer, form: WireForm): Promise<void> {
  const { bytes, headers } = await bodyOf(answer, form);
  if (response.destroyed) return;
  const all = Object.entries({ ...headers, ...answer.headers, "Content-Length": String(bytes.length) });
  for (const [name, value] of all) validateHeaderValue(name, value);
  for (const [name, value] of all) response.setHeader(name, value);
  response.statusCode = answer.status;
  response.end(bytes);
}

interface Content {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

async function bodyOf({ html, body, json, file }: Answer, form: WireForm): Promise<Content> {
  if (file !== undefined) {
    const disposition = `attachment; filename*=UTF-8''${encodedName(file.filename)}`;
    return { bytes: file.bytes, headers: { "Content-Type": file.type, "Content-Disposition": disposition } };
  }
  if (html !== undefined) return { bytes: Buffer.from(html), headers: { "Content-Type": "text/html; charset=utf-8" } };
  if (body === undefined && json === undefined) return { bytes: Buffer.alloc(0), headers: {} };
  const bytes = form.pretty ? indented(body, json) : (json ?? Buffer.from(JSON.stringify(body)));
  const headers = { "Content-Type": "application/json;charset=utf-8" };
  return form.gzip ? { bytes: await compress(bytes), headers: { ...headers, "Content-Encoding": "gzip" } } : { bytes, headers };
}

/** A name out of JSON may hold half of a character (`"\ud800"`), which UTF-8 has no bytes for: it goes out as a replacement. */
function encodedName(filename: string): string {
  return encodeURIComponent(filename.toWellFormed());
}

function indented(body: Json | undefined, json: Buffer | undefined): Buffer {
  const value: unknown = json === undefined ? body : JSON.parse(json.toString("utf8"));
  return Buffer.from(JSON.stringify(value, undefined, 2));
}

/** What the web server in front answers by itself: a page, no JSON. */
export function pageAnswer(status: number): Answer {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  return { status, html: `<html>\n<head><title>${title}</title></head>\n<body><h1>${title}</h1></body>\n</html>\n` };
}
