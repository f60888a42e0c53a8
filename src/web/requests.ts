import { answerBytes } from "../http/answer.ts";
import { readRaw } from "../http/raw-body.ts";
import type { Handler } from "../http/route.ts";
import type { Markup } from "./html.ts";

export type Request = Parameters<Handler>[0];
export type Response = Parameters<Handler>[1];

const HTML = "text/html; charset=utf-8";
const FORM_TYPE = "application/x-www-form-urlencoded";
/** The largest form. A form of all settings has some kilobytes. */
const MAX_FORM_BYTES = 64 * 1024;

/** A form, or why it cannot be read. */
type FormRead = { form: ReadonlyMap<string, string> } | { problem: "too-large" | "crowded" | "wrong-type" };

/** Reads the fields of a form as a browser sends them. A caller that has gone reads no answer, so that any problem may be told. */
export async function formOf(request: Request, maxBytes = MAX_FORM_BYTES): Promise<FormRead> {
  const body = await readRaw(request, { maxBytes });
  switch (body.kind) {
    case "body": {
      const type = request.headers["content-type"] ?? FORM_TYPE;
      // A browser names no type for a form without controls.
      const isForm = body.bytes.length === 0 || type.split(";", 1)[0]?.trim().toLowerCase() === FORM_TYPE;
      return isForm ? { form: new Map(new URLSearchParams(body.bytes.toString("utf8"))) } : { problem: "wrong-type" };
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
