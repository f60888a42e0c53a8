import { z } from "zod";
import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts } from "../model/facts.ts";
import { PAPERS, type Paper } from "../model/paper.ts";
import { documentSchema } from "../model/stored/document-schema.ts";
import { factsSchema } from "../model/stored/facts-schema.ts";

/** The parts of a done operation's entry that make its receipt. */
export interface StoredReceipt {
  document: RegisterDocument;
  facts: DocumentFacts;
  /** Absent in files made by hand. */
  paper?: Paper;
}

/** Parses a stored receipt. `problem` names the first wrong field: `facts.identity.inn: expected string`. */
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
