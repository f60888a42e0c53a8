import type { Entry, EntryKey } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { isTrade } from "../model/document.ts";
import type { DocumentFacts } from "../model/facts.ts";
import type { Operation, TradeOperation } from "../model/operation.ts";
import type { Reason } from "../model/reason.ts";
import { type Excess, excessOf } from "../model/returned.ts";
import type { TurnServices } from "./services.ts";
import { type SettledEntry, settledFrom } from "./settled-of-sale.ts";

/** A return is compared while the register works on it, which takes longer; at most this is added to what it takes. */
const COMPARE_LIMIT_MS = 300;
/** Returns of one sale that are looked at, the newest first: a receipt has fewer lines than that, and rarely two returns. */
const MAX_RETURNS = 100;

/** What a return is found to be beside its sale. */
type Compared =
  /** It fits, names no sale, or the journal has none of that id: nothing is to be told. */
  | { kind: "fits" }
  /** `sale`: entry of the sale; `unsure`: entries of returns that count although nobody knows yet whether they were registered. */
  | { kind: "exceeds"; sale: number; excesses: Excess[]; unsure: number[] }
  /** The journal could not be asked in time. */
  | { kind: "unknown" };

/**
 * Holds a return against its sale and everything that was settled about it since, by the journal: other shifts, points of
 * sale and registers of the account included (fiscal-receipts 5, rule 8). What is in doubt or at a register counts as
 * returned: money that may have gone is what somebody should look at. What waits its turn is compared when that comes.
 */
export async function compareReturn(journal: Journal, { id, key, operation: asked, document }: Entry): Promise<Compared> {
  const operation = await returnIn(journal, key, asked);
  if (operation?.original === undefined || !isTrade(document)) return { kind: "fits" };
  const { appId, accountId } = key;
  const saleId = operation.original.id;
  const sale = await journal.find({ appId, accountId, operation: "sale", documentId: saleId });
  if (sale === undefined) return { kind: "fits" };
  const others = (await journal.returnsOf(appId, accountId, saleId, MAX_RETURNS)).filter((other) => other.id !== id);
  const { sold, returned, back } = await settledFrom(journal, { sale, others, operation, document });
  const excesses = excessOf(sold, returned, back);
  const unsure = returned.filter(({ isSure }: SettledEntry) => !isSure).map(({ entryId }) => entryId);
  return excesses.length === 0 ? { kind: "fits" } : { kind: "exceeds", sale: sale.id, excesses, unsure };
}

/** The return that an operation is; of a correction, the return that it settles anew. Others give nothing back of a sale. */
async function returnIn(journal: Journal, key: EntryKey, operation: Operation): Promise<TradeOperation | undefined> {
  if (operation.kind === "sales-return") return operation;
  if (!mayGiveBack(operation) || operation.kind !== "correction") return undefined;
  const corrected = await journal.find({ ...key, operation: operation.of.operation, documentId: operation.of.document.id });
  return corrected?.operation.kind === "sales-return" ? corrected.operation : undefined;
}

function mayGiveBack(operation: Operation): boolean {
  if (operation.kind === "correction") return operation.of.operation === "sales-return" && operation.step !== "undo";
  return operation.kind === "sales-return";
}

/**
 * The same for an operation: within `COMPARE_LIMIT_MS`, and never rejects. What cannot be compared is registered all the
 * same, and the log says so.
 */
export async function compareInTime(
  { journal, clock, log }: Pick<TurnServices, "clock" | "journal" | "log">,
  entry: Entry,
): Promise<Compared> {
  if (!mayGiveBack(entry.operation)) return { kind: "fits" };
  try {
    const compared = await waitUntil(clock, deadlineIn(clock, COMPARE_LIMIT_MS), compareReturn(journal, entry));
    if (compared.kind === "finished") return compared.value;
    log.warn({ entry: entry.id, limitMs: COMPARE_LIMIT_MS }, "a return could not be compared with its sale in time");
  } catch (error) {
    log.warn({ entry: entry.id, error: messageOf(error) }, "a return could not be compared with its sale");
  }
  return { kind: "unknown" };
}

/** Ends an entry as done; a return that gives back too much is told of in journal, log and metrics, and done all the same. */
export async function finishDone(
  services: TurnServices,
  entry: Entry,
  { facts, by, reasons = [] }: { facts: DocumentFacts; by: "register" | "look-up" | "restart"; reasons?: readonly Reason[] },
  comparing: Promise<Compared> = compareInTime(services, entry),
): Promise<Entry> {
  const compared = await comparing;
  const all = [...reasons, ...reasonsOf(compared)];
  const finished = await services.journal.finish(entry, { kind: "done", facts }, by, all.length === 0 ? undefined : all);
  tell(services, finished, compared);
  return finished;
}

/** In numbers alone: what somebody bought is a buyer's own affair, and stands in the journal. */
function tell({ log, returnedMore }: Pick<TurnServices, "log" | "returnedMore">, { id, register }: Entry, compared: Compared): void {
  if (compared.kind !== "exceeds") return;
  const { sale, excesses, unsure } = compared;
  const exceeds = excesses.map((excess) => ({ ...excess, name: undefined }));
  log.warn({ entry: id, register, sale, exceeds, ...(unsure.length === 0 ? {} : { unsure }) }, "a return gives back more than was sold");
  for (const { kind } of excesses) returnedMore(kind);
}

/** What the journal keeps of it. */
export function reasonsOf(compared: Compared): Reason[] {
  if (compared.kind !== "exceeds") return [];
  const { sale, excesses, unsure } = compared;
  return [{ code: "returned-more", sale, excesses, unsure }];
}
