import type { Entry, EntryKey } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { doneAtOnce, StepByStep, type Stepped } from "../kernel/work/stepped.ts";
import { isTrade } from "../model/document.ts";
import type { DocumentFacts } from "../model/facts.ts";
import type { Operation, TradeOperation } from "../model/operation.ts";
import type { Reason } from "../model/reason.ts";
import { type Excess, excessOf, type Settled } from "../model/returned.ts";
import type { TurnServices } from "./services.ts";
import { type SettledEntry, settledFrom } from "./settled-of-sale.ts";

/** The extra time that the comparison may add to a document. The comparison runs while the register prints, which usually takes longer. */
const COMPARE_LIMIT_MS = 300;
/** The largest number of compared returns of one sale. A sale rarely has two returns. */
const MAX_RETURNS = 100;
/** The most lines of a sale and its returns that are counted in one step. */
const LINES_AT_ONCE = 1_000;

type Compared =
  /** The operation is no return, or the return fits, names no sale, or names a sale that the journal lacks. */
  | { kind: "fits" }
  /** `sale`: the entry of the sale. `unsure`: the entries of returns that count although they may not have been registered. */
  | { kind: "exceeds"; sale: number; excesses: Excess[]; unsure: number[] }
  /** The comparison failed or was too late, or the sale has more returns than are compared. */
  | { kind: "unknown" };

/**
 * Compares a return with its sale and everything settled about that sale since. All shifts, points of sale and registers of the account
 * count (fiscal-receipts 5, rule 8). A return in doubt or at a register counts as returned, because the money may be gone. A waiting
 * return is compared in its own turn.
 */
export async function compareReturn(journal: Journal, { id, key, operation: ownOperation, document }: Entry): Promise<Compared> {
  const operation = await returnIn(journal, key, ownOperation);
  if (operation?.original === undefined || !isTrade(document)) return { kind: "fits" };
  const { appId, accountId } = key;
  const saleId = operation.original.id;
  const sale = await journal.find({ appId, accountId, operation: "sale", documentId: saleId });
  if (sale === undefined) return { kind: "fits" };
  // Requests one return more than is compared, and one more because this return is among them.
  const found = (await journal.returnsOf(appId, accountId, saleId, MAX_RETURNS + 2)).filter((other) => other.id !== id);
  const others = found.slice(0, MAX_RETURNS);
  const { sold, returned, back } = await settledFrom(journal, { sale, others, operation, document });
  const excesses = await counted([...sold, ...returned], excessOf(sold, returned, back));
  const unsure = returned.filter(({ isSure }: SettledEntry) => !isSure).map(({ entryId }) => entryId);
  if (excesses.length > 0) return { kind: "exceeds", sale: sale.id, excesses, unsure };
  return mayBeRegistered(found.at(MAX_RETURNS)) ? { kind: "unknown" } : { kind: "fits" };
}

/** Waiting and refused returns come last in the journal's list. */
function mayBeRegistered(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.state !== "queued" && entry.state !== "refused";
}

/** Counts up to `LINES_AT_ONCE` lines without a pause. In each pause other work runs, and the comparison is limited in time. */
function counted(settled: readonly Settled[], counting: Stepped<Excess[]>): Excess[] | Promise<Excess[]> {
  const lines = settled.reduce((sum, one) => sum + one.lines.length, 0);
  return lines <= LINES_AT_ONCE ? doneAtOnce(counting) : new StepByStep().do(counting);
}

/**
 * Finds the return to compare: the operation itself, or the return that a correction settles anew. Undefined: there is no return to
 * compare.
 */
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
 * Compares within `COMPARE_LIMIT_MS` and never rejects. If the comparison fails, the return is registered nevertheless, with a log line.
 */
export async function compareInTime(
  { journal, clock, log }: Pick<TurnServices, "clock" | "journal" | "log">,
  entry: Entry,
): Promise<Compared> {
  if (!mayGiveBack(entry.operation)) return { kind: "fits" };
  try {
    const compared = await waitUntil(clock, deadlineIn(clock, COMPARE_LIMIT_MS), compareReturn(journal, entry));
    if (compared.kind === "finished") {
      if (compared.value.kind === "unknown")
        log.warn({ entry: entry.id, limit: MAX_RETURNS }, "a return could not be compared with its sale: the sale has too many returns");
      return compared.value;
    }
    log.warn({ entry: entry.id, limitMs: COMPARE_LIMIT_MS }, "a return could not be compared with its sale in time");
  } catch (error) {
    log.warn({ entry: entry.id, error: messageOf(error) }, "a return could not be compared with its sale");
  }
  return { kind: "unknown" };
}

/** Ends an entry as done. An excessive return is done too, and is reported in journal, log and metrics. */
export async function finishDone(
  services: TurnServices,
  entry: Entry,
  { facts, by, reasons = [] }: { facts: DocumentFacts; by: "register" | "look-up" | "restart"; reasons?: readonly Reason[] },
  comparing: Promise<Compared> = compareInTime(services, entry),
): Promise<Entry> {
  const compared = await comparing;
  const finished = await services.journal.finish(entry, { kind: "done", facts }, by, [...reasons, ...reasonsOf(compared)]);
  report(services, finished, compared);
  return finished;
}

/** Logs numbers only. The names of the goods are private to the buyer. */
function report({ log, returnedMore }: Pick<TurnServices, "log" | "returnedMore">, { id, register }: Entry, compared: Compared): void {
  if (compared.kind !== "exceeds") return;
  const { sale, excesses, unsure } = compared;
  const exceeds = excesses.map((excess) => ({ ...excess, name: undefined }));
  log.warn({ entry: id, register, sale, exceeds, ...(unsure.length === 0 ? {} : { unsure }) }, "a return gives back more than was sold");
  for (const { kind } of excesses) returnedMore(kind);
}

/** Returns the reasons that the journal stores after a comparison. */
export function reasonsOf(compared: Compared): Reason[] {
  if (compared.kind !== "exceeds") return [];
  const { sale, excesses, unsure } = compared;
  return [{ code: "returned-more", sale, excesses, unsure }];
}
