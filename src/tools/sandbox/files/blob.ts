import type { Account } from "../account/account.ts";
import { refused } from "../call/refusal.ts";
import type { Value } from "../values/stored.ts";

/** The largest file or image (json-api 11.2). */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** The error codes for an upload. They differ between file fields. */
export interface FileFaults {
  readonly size: number;
  readonly name: number;
  readonly content: number;
}

/**
 * Stores `{ filename, content }` with Base64 content. Equal name and content give the same id (json-api 15). Throws the given codes, or
 * 2002 if the value is no object.
 */
export function storeFile(
  given: unknown,
  faults: FileFaults,
  { account }: { readonly account: Account },
): { filename: string; size: number; blob: string } & { readonly [name: string]: Value } {
  const { filename, content } = fileIn(given);
  if (filename === undefined || filename === "") throw refused(faults.name);
  if (content === undefined || content === "") throw refused(faults.content);
  const bytes = Buffer.from(content, "base64");
  if (bytes.length === 0) throw refused(faults.content);
  if (bytes.length > MAX_FILE_BYTES) throw refused(faults.size);
  const blob = account.namedId(`blob/${filename}/${content}`);
  if (account.objects.get("blob", blob) === undefined) account.put({ type: "blob", id: blob, values: { filename, content } });
  return { filename, size: bytes.length, blob };
}

/** Returns the name and the bytes of a stored file. */
export function contentOf(blob: string, { account }: { readonly account: Account }): { filename: string; bytes: Buffer } | undefined {
  const values = account.objects.get("blob", blob)?.values;
  return values === undefined ? undefined : { filename: String(values.filename), bytes: Buffer.from(String(values.content), "base64") };
}

function fileIn(given: unknown): { filename?: string; content?: string } {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refused(2002, "file");
  const { filename, content } = given as { filename?: unknown; content?: unknown };
  return { ...(typeof filename === "string" ? { filename } : {}), ...(typeof content === "string" ? { content } : {}) };
}
