import { type ServerResponse, STATUS_CODES } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Json } from "../reading/render.ts";
import type { Answer } from "./answer.ts";

/** How this caller wants to be written to. */
export interface WireForm {
  readonly gzip: boolean;
  readonly pretty: boolean;
}

const compress = promisify(gzip);

/** Writes an answer out: JSON packed for whoever takes that, pages and empty bodies as they are. */
export async function writeAnswer(response: ServerResponse, answer: Answer, form: WireForm): Promise<void> {
  const bytes = await bodyOf(response, answer, form);
  if (response.destroyed) return;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}

async function bodyOf(response: ServerResponse, { html, body, json, file }: Answer, form: WireForm): Promise<Buffer> {
  if (file !== undefined) {
    response.setHeader("Content-Type", file.type);
    response.setHeader("Content-Disposition", `attachment; filename*=UTF-8''${encodeURIComponent(file.filename)}`);
    return file.bytes;
  }
  if (html !== undefined) {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    return Buffer.from(html);
  }
  if (body === undefined && json === undefined) return Buffer.alloc(0);
  const bytes = form.pretty ? indented(body, json) : (json ?? Buffer.from(JSON.stringify(body)));
  response.setHeader("Content-Type", "application/json;charset=utf-8");
  if (!form.gzip) return bytes;
  response.setHeader("Content-Encoding", "gzip");
  return compress(bytes);
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
