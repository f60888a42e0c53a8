import { answerBytes } from "../http/answer.ts";
import { readRaw } from "../http/raw-body.ts";
import type { Handler } from "../http/route.ts";
import type { Markup } from "./html.ts";

export type Request = Parameters<Handler>[0];
export type Response = Parameters<Handler>[1];

const HTML = "text/html; charset=utf-8";
/** The largest form. A form of all settings has some kilobytes. */
const MAX_FORM_BYTES = 64 * 1024;

/** Returns the fields of a form as a browser sends them. Undefined: the body is too large, or the caller has gone. */
export async function formOf(request: Request, maxBytes = MAX_FORM_BYTES): Promise<ReadonlyMap<string, string> | undefined> {
  const body = await readRaw(request, { maxBytes });
  if (body.kind !== "body") return undefined;
  return new Map(new URLSearchParams(body.bytes.toString("utf8")));
}

/** Returns the query of a request. Of a repeated name the last value counts. */
export function queryOf(request: Request): ReadonlyMap<string, string> {
  const mark = request.originalUrl.indexOf("?");
  return new Map(new URLSearchParams(mark < 0 ? "" : request.originalUrl.slice(mark + 1)));
}

/** Whether a page's script asks for a part of the page. Otherwise a browser asks for a whole page. */
export function isPart(request: Request): boolean {
  return request.headers["hx-request"] === "true";
}

/** Sends a page or a part. It belongs to one session, so no cache may keep it. */
export function sendMarkup(response: Response, status: number, markup: Markup): void {
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Vary", "HX-Request, Cookie, Authorization");
  answerBytes(response, status, HTML, Buffer.from(markup.toString()));
}

/**
 * Sets the security policy of a page: only scripts and styles of this server, nothing inline, and no frame but the platform's.
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
  // A stricter policy would make browsers send `Origin: null`, which proves nothing.
  response.setHeader("Referrer-Policy", "same-origin");
}
