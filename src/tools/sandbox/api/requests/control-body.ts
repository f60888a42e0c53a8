import type { IncomingMessage } from "node:http";
import { Refusal, refused } from "../../call/refusal.ts";
import { parseJsonText } from "./json-text.ts";

/** What a sale of a thousand lines takes, several times over. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The bytes of a request to the sandbox's own addresses, whatever type they are said to be of. A `Refusal`: 1044 for too many.
 * Undefined: the caller has gone.
 */
export async function readControlBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_BODY_BYTES) throw refused(1044);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** The body as a JSON object, `{}` for none at all; undefined for JSON of another kind. A `Refusal`: 2001 for what is no JSON. */
export function controlObject(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  const value = bytes.length === 0 ? {} : parseJsonText(bytes);
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
