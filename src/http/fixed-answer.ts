import { createHash } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { setRoute } from "./access-log.ts";

/** A page that is the same for every caller while the server runs. */
export interface FixedPage {
  path: string;
  contentType: string;
  content: string;
}

/**
 * Answers with a page. All answers share the bytes of the page. A caller that already has the page (`If-None-Match`) gets 304 without
 * bytes.
 */
export function fixedAnswer({ path, contentType, content }: FixedPage): RequestHandler {
  const bytes = Buffer.from(content);
  const tag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, TAG_LENGTH)}"`;
  return (request: Request, response: Response) => {
    setRoute(response, `GET ${path}`);
    response.setHeader("ETag", tag);
    response.setHeader("Cache-Control", "no-cache");
    if (isKnown(request.headers["if-none-match"], tag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    response.statusCode = 200;
    response.setHeader("Content-Type", contentType);
    response.setHeader("Content-Length", bytes.length);
    response.end(request.method === "HEAD" ? undefined : bytes);
  };
}

/** The number of base64 characters: 96 bits of the hash distinguish all versions of a page. */
const TAG_LENGTH = 16;

/** True when the header contains the tag (RFC 9110, 13.1.2: a list of tags, or a star). Weak and strong tags count as equal. */
function isKnown(given: string | undefined, tag: string): boolean {
  if (given === undefined) return false;
  return given.split(",").some((each) => ["*", tag].includes(each.trim().replace(/^W\//, "")));
}
