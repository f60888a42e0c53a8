import { present } from "../../kernel/present.ts";

/** An error answer of the agents' contract. The agent reads only the status and shows its own words for it. */
export interface AgentsError {
  status: number;
  body: { errors: { error: string; code: number; parameter?: string }[] };
}

/** The largest body of a request (agents surface 4). */
export const MAX_BODY_BYTES = 8 * 1024;
const MAX_BODY_WORDS = "8 KiB";

export function errorIs(status: number, error: string, parameter?: string): AgentsError {
  return { status, body: { errors: [{ error, code: status, ...present({ parameter }) }] } };
}

/** The same answer for a wrong, a used and an expired code, so that a caller who guesses codes learns nothing. */
export const refusedCode = errorIs(403, "The code is wrong, used or expired: ask for a new one");
export const tooManyCodes = errorIs(429, "Too many wrong codes: wait a minute");
export const badKey = errorIs(400, "The public key is no Ed25519 key, SPKI in Base64", "publicKey");
export const tooLarge = errorIs(400, `The body is larger than ${MAX_BODY_WORDS}`);
export const wrongType = errorIs(400, "Content-Type must be application/json, the encoding identity or gzip");
export const brokenBody = errorIs(400, "The body is not valid JSON");
export const needsUpgrade = errorIs(426, "A WebSocket is opened here");
export const unknownPath = errorIs(404, "Not found");
export const wrongMethod = errorIs(405, "Method not allowed");
export const crowded = errorIs(503, "Too many bodies are being received: repeat the request");
export const fault = errorIs(503, "The server could not do it now: repeat the request");
