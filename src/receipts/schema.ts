import { z } from "zod";
import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts } from "../model/facts.ts";
import { PAPERS, type Paper } from "../model/paper.ts";
import { documentSchema } from "../model/stored/document-schema.ts";
import { factsSchema } from "../model/stored/facts-schema.ts";

/** What the journal keeps of a done operation, as far as its receipt is drawn from it. */
export interface StoredReceipt {
  document: RegisterDocument;
  facts: DocumentFacts;
  /** Absent in files made by hand. */
  paper?: Paper;
}

/** Reads a stored receipt; `problem` names the first wrong field: `facts.identity.inn: expected string`. */
export function parseStoredReceipt(value: unknown): { kind: "stored"; receipt: StoredReceipt } | { kind: "wrong"; problem: string } {
  const parsed = STORED.safeParse(value);
  if (parsed.success) return { kind: "stored", receipt: parsed.data };
  const [issue] = parsed.error.issues;
  return { kind: "wrong", problem: `${issue?.path.join(".") || "the file"}: ${issue?.message ?? "unreadable"}` };
}

const STORED = z.object({
  document: documentSchema,
  facts: factsSchema,
  paper: z.enum(PAPERS).exactOptional(),
});
