import { answerBytes } from "../http/answer.ts";
import { readRaw } from "../http/raw-body.ts";
import type { Handler } from "../http/route.ts";
import { storableText } from "../kernel/json/storable.ts";
import { readForm } from "./form-reader.ts";
import type { Markup } from "./html.ts";

export type Request = Parameters<Handler>[0];
export type Response = Parameters<Handler>[1];

const HTML = "text/html; charset=utf-8";
const FORM_TYPE = "application/x-www-form-urlencoded";
/** The largest form. A form of all settings has some kilobytes. */
const MAX_FORM_BYTES = 64 * 1024;

/** `bytes`: the largest form, `MAX_FORM_BYTES` by default. `fields`: how many fields are read, by default all. */
interface FormBounds {
  bytes?: number | undefined;
  fields?: number | undefined;
}

export type FormRead = { form: ReadonlyMap<string, string> } | { problem: "too-large" | "crowded" | "wrong-type" };

/** Reads the fields of a browser's form. A disconnected caller reads no answer, so any problem may be returned for it. */
export async function formOf(request: Request, { bytes = MAX_FORM_BYTES, fields }: FormBounds = {}): Promise<FormRead> {
  const body = await readRaw(request, { maxBytes: bytes });
  switch (body.kind) {
    case "body": {
      const type = request.headers["content-type"] ?? FORM_TYPE;
      // A browser sends no content type for a form without controls.
      const isForm = body.bytes.length === 0 || type.split(";", 1)[0]?.trim().toLowerCase() === FORM_TYPE;
      if (!isForm) return { problem: "wrong-type" };
      const form = await readForm(body.bytes, fields);
      return form === undefined ? { problem: "too-large" } : { form };
    }
    case "too-large":
      return { problem: "too-large" };
    case "wrong-type":
    case "bad-encoding":
      return { problem: "wrong-type" };
    case "crowded":
    case "aborted":
      return { problem: "crowded" };
  }
}

/** Returns the query of a request. The last value of a repeated name wins. */
export function queryOf(request: Request): ReadonlyMap<string, string> {
  const mark = request.originalUrl.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : request.originalUrl.slice(mark + 1));
  return new Map(Array.from(query, ([name, value]) => [storableText(name), storableText(value)]));
}

/** Returns a named part of the path. Empty: absent. */
export function paramOf(request: Request, name: string): string {
  return storableText(String(request.params[name] ?? ""));
}

/** True: the script of a page requests a part of a page. False: the browser requests a whole page. */
export function isPart(request: Request): boolean {
  return request.headers["hx-request"] === "true";
}

/** Sends a page or a part. Its content depends on the session, so no cache may store it. */
export function sendMarkup(response: Response, status: number, markup: Markup): void {
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Vary", "HX-Request, Cookie, Authorization");
  answerBytes(response, status, HTML, Buffer.from(markup.toString()));
}

/**
 * Sets the security policy of a page: only scripts and styles of this server, nothing inline, and only the platform may show it in a frame.
 * `X-Frame-Options` cannot name the platform's address, so it is removed.
 */
export function setPolicy(response: Response, hostOrigin: string): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${hostOrigin}`,
  ];
  response.setHeader("Content-Security-Policy", policy.join("; "));
  response.removeHeader("X-Frame-Options");
  // With a stricter referrer policy browsers send `Origin: null` with a form. This value does not prove where the form comes from.
  response.setHeader("Referrer-Policy", "same-origin");
}
