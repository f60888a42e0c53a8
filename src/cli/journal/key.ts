import type { Entry, EntryKey } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EntryFilter } from "../../journal/queries.ts";
import type { EntryHead } from "../../journal/reading/head.ts";
import { isReadable, type Listed } from "../../journal/reading/unreadable.ts";
import { Failure } from "../../kernel/failure.ts";
import { UsageError } from "../command.ts";
import { instant } from "./rows.ts";

export type KeyText = { kind: "number"; id: number } | { kind: "document"; documentId: string } | { kind: "full"; key: EntryKey };

const OPERATIONS: readonly EntryKey["operation"][] = [
  "open-shift",
  "sale",
  "sales-return",
  "cash-in",
  "cash-out",
  "close-shift",
  "correction",
  "x-report",
  "state-report",
  "auto-open-shift",
  "auto-close-shift",
];

/**
 * Throws `UsageError` for a text that cannot name an entry. A document id that is a number of at most 15 digits must be given as its full
 * key.
 */
export function parseKey(text: string): KeyText {
  const [appId = "", accountId = "", operationText, documentId = "", ...more] = text.split("/");
  if (operationText === undefined && accountId === "")
    return /^\d{1,15}$/.test(text) ? { kind: "number", id: Number(text) } : { kind: "document", documentId: text };
  const operation = OPERATIONS.find((one) => one === operationText);
  if (operation === undefined || documentId === "" || more.length > 0) {
    throw new UsageError(
      `"${text}" is no KEY: a number, a document id, or appId/accountId/operation/documentId with one of ${OPERATIONS.join(", ")}`,
    );
  }
  return { kind: "full", key: { appId, accountId, operation, documentId } };
}

/** How many entries are listed when a document id names several. */
const MAX_NAMED = 10;

export async function findEntry(
  journal: Journal,
  key: KeyText,
): Promise<{ kind: "found"; entry: Entry } | { kind: "none"; problem: string }> {
  const found = await candidates(journal, key).catch((error: unknown) => unreadableNamed(journal, key, error));
  if (typeof found === "string") return { kind: "none", problem: found };
  const [entry, another] = found;
  if (entry === undefined) return { kind: "none", problem: "The journal has no such entry; see `journal list`" };
  if (another === undefined) return { kind: "found", entry };
  return {
    kind: "none",
    problem: `Several entries have this document: ${found.map(({ id, key: { operation } }) => `${id} (${operation})`).join(", ")}`,
  };
}

async function candidates(journal: Journal, key: KeyText): Promise<Entry[]> {
  switch (key.kind) {
    case "number":
      return only(await journal.get(key.id));
    case "document":
      return journal.list({ documentId: key.documentId, limit: MAX_NAMED });
    case "full":
      return only(await journal.find(key.key));
  }
}

/**
 * Returns what the plain columns say of the entries that the key may mean, and what is wrong with them. Throws any other error again.
 */
async function unreadableNamed(journal: Journal, key: KeyText, error: unknown): Promise<string> {
  if (!(error instanceof Failure) || error.code !== "journal-unreadable") throw error;
  const listed = await journal.heads.list(filterOf(key));
  const lines = listed.filter(({ id }) => key.kind !== "number" || id === key.id).map(placeLine);
  return [`The entry cannot be read: ${error.message}`, ...lines].join("\n");
}

function filterOf(key: KeyText): EntryFilter {
  if (key.kind === "number") return { beforeId: key.id + 1, limit: 1 };
  if (key.kind === "document") return { documentId: key.documentId, limit: MAX_NAMED };
  const { appId, accountId, documentId } = key.key;
  return { appId, accountId, documentId, limit: MAX_NAMED };
}

function placeLine(entry: Listed<EntryHead>): string {
  const { id, key, storeId, register, acceptedAtMs } = entry;
  const state = isReadable(entry) ? `${entry.state}, ` : "";
  return `  ${id}: ${state}accepted ${instant(acceptedAtMs)} (UTC), document ${key.documentId} of the account ${key.accountId}, store ${storeId}, register ${register}`;
}

function only(entry: Entry | undefined): Entry[] {
  return entry === undefined ? [] : [entry];
}
