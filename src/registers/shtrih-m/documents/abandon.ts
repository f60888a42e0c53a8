import { pause } from "../../../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../../kernel/deadline.ts";
import type { Reached } from "../../register.ts";
import { MODES, modeOf } from "../commands/values.ts";
import { wordsOf } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import { awaitPrinted, callWhenPrinted, type Printed } from "../session/printing.ts";

/** The errors of 88h without a receipt, and of FF08 without an open document in the drive. */
const NO_RECEIPT = 0x55;
const DRIVE_IDLE = 0x02;

/**
 * Cancels the register's open receipt and the drive's open document, then checks that both are gone. Sends nothing that registers. Safe to
 * repeat.
 */
export async function abandon(connection: Connection, deadline: Deadline): Promise<Reached<"nothing-open" | "cancelled">> {
  const { system } = connection.passwords;
  const before = await awaitPrinted(connection, deadline);
  if (before.kind !== "idle" && before.kind !== "no-paper") return notSettled(before);
  let cancelled = false;
  if (isDocumentOpen(before)) {
    const called = await callWhenPrinted(connection, "cancelReceipt", { password: system }, deadline);
    if (called.kind === "error" && called.error !== NO_RECEIPT) return refused("чек не отменяется", called.error);
    const after = await awaitPrinted(connection, deadline);
    if (after.kind !== "idle" && after.kind !== "no-paper") return notSettled(after);
    if (isDocumentOpen(after)) return { kind: "unreachable", reason: "Касса не отменила открытый чек" };
    cancelled = true;
  }
  const drive = await cancelInDrive(connection, deadline);
  if (drive.kind === "unreachable") return drive;
  return { kind: "reached", value: cancelled || drive.value ? "cancelled" : "nothing-open" };
}

/**
 * Cancels, and tries again while the device is unreachable, because the device can often be reached again within seconds. Cancelling has
 * its own time limit: the document may have used up the caller's time. If another process may use the device by now, cancelling stops: that
 * process finds the open document and cancels it.
 */
export async function abandonInTime(connection: Connection): Promise<Reached<"nothing-open" | "cancelled">> {
  const deadline = deadlineIn(connection.clock, CANCEL_MS);
  for (;;) {
    const abandoned = await abandon(connection, deadline);
    if (abandoned.kind === "reached" || deadline.remainingMs() <= PAUSE_MS || !connection.maySend()) return abandoned;
    await pause(connection.clock, PAUSE_MS);
  }
}

/** How long cancelling may take. A cashier waits meanwhile. */
const CANCEL_MS = 15_000;
const PAUSE_MS = 500;

/** Cancels the drive's document with FF08 and checks that it is gone. False: the drive had no open document. */
async function cancelInDrive(connection: Connection, deadline: Deadline): Promise<Reached<boolean>> {
  const { system } = connection.passwords;
  const status = await connection.ask("driveStatus", { password: system }, deadline);
  if (status.kind === "error") return refused("накопитель не отвечает", status.error);
  if (status.kind === "unreachable") return status;
  if (status.values.openDocument === 0) return { kind: "reached", value: false };
  const called = await callWhenPrinted(connection, "cancelDocument", { password: system }, deadline);
  if (called.kind === "error" && called.error !== DRIVE_IDLE) return refused("документ накопителя не отменяется", called.error);
  const after = await connection.ask("driveStatus", { password: system }, deadline);
  if (after.kind === "error") return refused("накопитель не отвечает", after.error);
  if (after.kind === "unreachable") return after;
  if (after.values.openDocument !== 0) return { kind: "unreachable", reason: "Касса не отменила документ в накопителе" };
  return { kind: "reached", value: true };
}

/** Whether a document is open. Without paper a receipt may still be open. The mode is then reliable, because nothing is printing. */
function isDocumentOpen({ status }: Extract<Printed, { status: unknown }>): boolean {
  return modeOf(status.mode).mode === MODES.documentOpen;
}

function notSettled(printed: Printed): { kind: "unreachable"; reason: string } {
  return printed.kind === "unreachable" ? printed : { kind: "unreachable", reason: "Касса ещё печатает предыдущий документ" };
}

function refused(what: string, error: number): { kind: "unreachable"; reason: string } {
  return { kind: "unreachable", reason: `Касса занята: ${what} (${wordsOf(error)})` };
}
