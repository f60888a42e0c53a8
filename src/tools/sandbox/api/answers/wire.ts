import { type ServerResponse, STATUS_CODES, validateHeaderValue } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Json } from "../../values/json.ts";
import type { Answer } from "./answer.ts";

interface WireForm {
  readonly gzip: boolean;
  readonly pretty: boolean;
}

const compress = promisify(gzip);

/**
 * Writes an answer. Only JSON is compressed, for callers that accept gzip. A failure throws before the first byte, so another answer can
 * still be written.
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

/**
 * Returns the encoded name. JSON can contain half of a surrogate pair (`"\ud800"`), which UTF-8 cannot encode: a replacement character
 * takes its place.
 */
function encodedName(filename: string): string {
  return encodeURIComponent(filename.toWellFormed());
}

function indented(body: Json | undefined, json: Buffer | undefined): Buffer {
  const value: unknown = json === undefined ? body : JSON.parse(json.toString("utf8"));
  return Buffer.from(JSON.stringify(value, undefined, 2));
}

/** Returns an HTML page in the style of the web server in front of the API. */
export function pageAnswer(status: number): Answer {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  return { status, html: `<html>\n<head><title>${title}</title></head>\n<body><h1>${title}</h1></body>\n</html>\n` };
}
