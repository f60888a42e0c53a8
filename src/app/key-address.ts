import type { FetchKeys } from "../security/key-set.ts";

/** The time limit of a request. A till may be waiting, and its whole call may take five seconds. */
const LIMIT_MS = 2_000;
/** The largest answer. A key set has a few keys of half a kilobyte. */
const MAX_BYTES = 64 * 1024;

/** Reads the key address once. Rejects when no answer came, or when the answer is a redirect, too large, or not complete in time. */
export const fetchKeys: FetchKeys = async (address) => {
  const response = await fetch(address, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const body = await bounded(response);
  return { status: response.status, body, cacheControl: response.headers.get("cache-control") ?? undefined };
};

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString("utf8");
}
