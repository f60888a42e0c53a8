import { wallAsUtcMs } from "../../kernel/moment.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { dayProblem } from "../../model/correction-limits.ts";
import type { TradeDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import { clockBehindOf, QUEUE_LIMIT_DAYS } from "../../model/foresight.ts";
import type { Refusal } from "../../model/refusal.ts";
import { TAX_SYSTEMS } from "../../model/tax.ts";
import type { RegisterState } from "../../registers/register.ts";

const DAY_MS = 86_400_000;

/** One of the documents would not be registered: which, by its place among them, and why. */
export interface Refused {
  kind: "refused";
  at: number;
  refusal: Refusal;
}

export function refused(at: number, refusal: Refusal): Refused {
  return { kind: "refused", at, refusal };
}

/** What the drive refuses whatever it is asked for; the register's clock decides. How it counts its last day is its own to say. */
export function driveStops({ drive, time, queue, lastDocumentTime = "" }: RegisterState): Refusal | undefined {
  if (drive.phase !== "fiscal") return { code: "drive-not-ready" };
  const now = wallAsUtcMs(time);
  if (drive.keysUntil !== undefined && wallAsUtcMs(drive.keysUntil) <= now) return { code: "drive-exhausted" };
  // A clock that was set to before the newest document makes none (fiscal-receipts 6.4, 07h).
  if (clockBehindOf(time, lastDocumentTime).clockBehind !== undefined) return { code: "clock-wrong" };
  const waitingMs = queue.since === undefined ? 0 : now - wallAsUtcMs(queue.since);
  return waitingMs >= QUEUE_LIMIT_DAYS * DAY_MS ? { code: "operator-queue-blocked" } : undefined;
}

/** What the register's state leaves no room for, one document after another: day, tax system, drive and drawer. */
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
      const reason = `the register was not registered for ${TAX_SYSTEMS[document.taxSystem].label}`;
      return refused(at, { code: "device-refused", details: { reason } });
    }
    if (drive.documentsLeft !== undefined && drive.documentsLeft <= at) return refused(at, { code: "drive-exhausted" });
    const { cashKopecks } = document.tenders;
    const takesOut = document.sign === 2 || document.sign === 3;
    drawer += takesOut ? -cashKopecks : cashKopecks;
    // Cash that is given back must lie in the drawer by the register's own count (shtrih-protocol 12.1, 46h).
    if (takesOut && cashKopecks > 0 && drawer < 0) {
      const reason = `${formatKopecks(-drawer)} are missing in the drawer by then: put them in first`;
      return refused(at, { code: "cash-short", details: { reason } });
    }
  }
  return undefined;
}

function notOnThatDay(settledOn: string, time: string): Refusal | undefined {
  const problem = dayProblem(settledOn, time.slice(0, "2026-11-28".length));
  return problem === undefined ? undefined : { code: "not-correctable", details: { reason: `tag 1178, ${settledOn}: ${problem}` } };
}
