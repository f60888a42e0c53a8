import { wallAsUtcMs } from "../../kernel/moment.ts";
import { clockBehindOf, QUEUE_LIMIT_DAYS } from "../../model/concerns.ts";
import { dayProblem } from "../../model/correction-limits.ts";
import type { TradeDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { Refusal } from "../../model/refusal.ts";
import { uncorrectable } from "../../model/uncorrectable.ts";
import type { RegisterState } from "../../registers/register.ts";

const DAY_MS = 86_400_000;

/** A document that would not be registered, by its index `at`. */
export interface Refused {
  kind: "refused";
  at: number;
  refusal: Refusal;
}

export function refused(at: number, refusal: Refusal): Refused {
  return { kind: "refused", at, refusal };
}

/** Why the register cannot accept a document. Stored in `details.problem` of the refusal. */
export type RoomProblem =
  /** The register is not registered for the document's `taxSystem`. */
  | "tax-system-unregistered"
  /** The drawer would lack `missingKopecks` when the document is sent. */
  | "drawer-too-empty";

function noRoom(problem: RoomProblem, details: Record<string, string>): Record<string, string> {
  return { problem, ...details };
}

/**
 * Returns why the drive refuses every document, by the register's clock. Some drives refuse documents even on the last day of their keys.
 * The rehearsal refuses only when the moment `keysUntil` has come.
 */
export function driveStops({ drive, time, queue, lastDocumentTime = "" }: RegisterState): Refusal | undefined {
  if (drive.phase !== "fiscal") return { code: "drive-not-ready" };
  const now = wallAsUtcMs(time);
  if (drive.keysUntil !== undefined && wallAsUtcMs(drive.keysUntil) <= now) return { code: "drive-exhausted" };
  // A register with a clock behind its newest document makes no documents (fiscal-receipts 6.4, 07h).
  if (clockBehindOf(time, lastDocumentTime).clockBehind !== undefined) return { code: "clock-wrong" };
  const waitingMs = queue.since === undefined ? 0 : now - wallAsUtcMs(queue.since);
  return waitingMs >= QUEUE_LIMIT_DAYS * DAY_MS ? { code: "operator-queue-blocked" } : undefined;
}

/** Returns the refusal of the first document that the register's state forbids: day, tax system, room in the drive, cash in the drawer. */
export function roomProblem(
  documents: readonly TradeDocument[],
  { time, drive, drawerKopecks }: RegisterState,
  { taxSystems }: RegisterIdentity,
): Refused | undefined {
  let drawer = drawerKopecks;
  for (const [at, document] of documents.entries()) {
    const day = document.kind === "correction" ? notOnThatDay(document.basis.settledOn, time) : undefined;
    if (day !== undefined) return refused(at, day);
    if (!taxSystems.includes(document.taxSystem)) {
      return refused(at, { code: "device-refused", details: noRoom("tax-system-unregistered", { taxSystem: document.taxSystem }) });
    }
    if (drive.documentsLeft !== undefined && drive.documentsLeft <= at) return refused(at, { code: "drive-exhausted" });
    const { cashKopecks } = document.tenders;
    const takesOut = document.sign === 2 || document.sign === 3;
    drawer += takesOut ? -cashKopecks : cashKopecks;
    // The register's own cash counter must have the cash that is paid out (shtrih-protocol 11, 46h).
    if (takesOut && cashKopecks > 0 && drawer < 0) {
      return refused(at, { code: "cash-short", details: noRoom("drawer-too-empty", { missingKopecks: String(-drawer) }) });
    }
  }
  return undefined;
}

function notOnThatDay(settledOn: string, time: string): Refusal | undefined {
  const today = time.slice(0, "2026-11-28".length);
  const day = dayProblem(settledOn, today);
  return day === undefined ? undefined : uncorrectable("day-impossible", { day, settledOn, today });
}
