import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { gunzipSync } from "node:zlib";

/** An answer as it came, with nothing done to it but unpacking. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined when it is none. */
  body: unknown;
}

/** Sends exactly these headers: `fetch` adds some of its own. A connection that is closed unanswered rejects. */
export function rawRequest(
  method: string,
  url: string,
  headers: Record<string, string | string[]> = {},
  body?: string | Buffer,
  ca?: string,
): Promise<RawAnswer> {
  const send = url.startsWith("https:") ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const request = send(url, { method, headers, ...(ca === undefined ? {} : { ca }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const bytes = Buffer.concat(chunks);
        const text = (response.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) });
      });
    });
    request.once("error", reject);
    request.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
