import type { IncomingMessage } from "node:http";
import { Refusal } from "../../call/refusal.ts";
import { parseJsonText } from "./json-text.ts";

/** The largest body: several times a sale with a thousand lines. */
const MAX_BODY_MIB = 1;
const MAX_BODY_BYTES = MAX_BODY_MIB * 1024 * 1024;

/**
 * Returns the body of a request to the sandbox's own addresses, with any Content-Type. Throws 1044 for a body above the limit. Undefined:
 * the caller closed the connection.
 */
export async function readControlBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_BODY_BYTES) throw new Refusal({ code: 1044, details: [`${MAX_BODY_MIB}`] });
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** Reads a JSON object. An empty body is `{}`. Undefined: the JSON is no object. Throws 2001 for invalid JSON. */
export function controlObject(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  const value = bytes.length === 0 ? {} : parseJsonText(bytes);
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
