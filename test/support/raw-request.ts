import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { gunzipSync } from "node:zlib";

/** An answer as it came, only decompressed. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON. Undefined: it is no JSON. */
  body: unknown;
}

/** Sends exactly these headers, because `fetch` adds others. Rejects when the connection is closed without an answer. */
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
