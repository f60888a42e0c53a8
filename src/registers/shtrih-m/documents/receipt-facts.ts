import { deadlineIn } from "../../../kernel/deadline.ts";
import { type WallTime, wallAsUtcMs, wallFromUtc } from "../../../kernel/moment.ts";
import { present } from "../../../kernel/present.ts";
import type { TradeDocument } from "../../../model/document.ts";
import type { FiscalFacts } from "../../../model/facts.ts";
import { printedSign } from "../lookup/facts.ts";
import type { Connection } from "../session/connection.ts";
import { inDoubt, type Performed } from "../state/performed.ts";
import type { ReadyDevice } from "../state/ready-device.ts";
import { timeNow, type View } from "../state/view.ts";
import type { ClosingAnswer } from "./receipt-closing.ts";

interface Closed {
  values: ClosingAnswer;
  /** The device's clock just before the closing was sent. */
  before: WallTime;
  /** Tag 2106 of the lines. Absent: no marks were checked. */
  markChecks: (number | null)[] | undefined;
}

/** How long a question may take after the receipt was registered. The cashier waits for the answer. */
const ASK_MS = 6_000;
const MINUTE_MS = 60_000;
/** Tolerance for the device's clock. The clock is read to the second, and two clocks do not run at exactly the same speed. */
const CLOCK_SLACK_MS = 3_000;

/** Returns the facts of a registered receipt or correction. In doubt: they cannot be read, or the register has another drive now. */
export async function registered(device: ReadyDevice, document: TradeDocument, { values, before, markChecks }: Closed): Promise<Performed> {
  const { known, view } = device;
  const { documentNumber, fiscalSign, change = 0 } = values;
  const drive = await driveAfter(device, values);
  if (drive.kind === "other") return inDoubt({ code: "facts-missing", number: documentNumber, because: "other-drive" });
  const time = given(values.time) ?? (drive.kind === "ours" ? given(drive.time) : undefined) ?? minuteNow(device, before);
  const numbers = documentNumber === view.lastDocumentNumber + 1 ? next(view) : await numbersNow(device);
  if (time === undefined || numbers === undefined) return inDoubt({ code: "facts-missing", number: documentNumber, because: "unread" });

  const facts: FiscalFacts = {
    kind: "fiscal",
    document: document.kind,
    identity: known.identity,
    documentNumber,
    fiscalSign: printedSign(fiscalSign),
    time,
    shiftNumber: numbers.shift,
    ...present({ cashierName: document.cashierName }),
    receipt: { number: values.receipt ?? numbers.receipt, sign: document.sign, totalKopecks: document.totalKopecks },
    ...(change === 0 ? {} : { change: { receivedKopecks: document.tenders.cashKopecks, changeKopecks: change } }),
    ...present({ markChecks }),
  };
  const after = viewAfter(view, document, values, drive);
  return { outcome: { kind: "done", facts }, ...present({ view: after }) };
}

type DriveAfter = { kind: "ours"; time?: WallTime } | { kind: "other" } | { kind: "unknown" };

/**
 * Returns whether the drive's last document is the receipt (`ours`), with the time that the drive's status gives for the receipt. When the
 * closing gave a time, the drive is not asked, and the result is `ours`. `other`: the register has another drive now. `unknown`: the drive
 * did not answer, or its last document is not the receipt.
 */
async function driveAfter({ connection, known }: ReadyDevice, { time, documentNumber }: ClosingAnswer): Promise<DriveAfter> {
  if (given(time) !== undefined) return { kind: "ours" };
  const reply = await connection.ask("driveStatus", { password: connection.passwords.system }, deadlineIn(connection.clock, ASK_MS));
  if (reply.kind !== "ok") return { kind: "unknown" };
  if (reply.values.driveNumber !== known.identity.driveNumber) return { kind: "other" };
  return reply.values.lastDocument === documentNumber ? { kind: "ours", time: reply.values.time } : { kind: "unknown" };
}

/** Returns the device's time. Undefined: the answer has no time, or five zero bytes. */
function given(time: WallTime | undefined): WallTime | undefined {
  return time === "" ? undefined : time;
}

/** Returns the latest possible time of the device's clock now, because the clock's answer may have been old on arrival. */
function latestNow(view: View, connection: Connection): WallTime {
  return wallFromUtc(wallAsUtcMs(timeNow(view, connection)) + view.readWithinMs + CLOCK_SLACK_MS);
}

/** Returns the device's minute if it was the same during the whole closing. Undefined: a new minute may have begun. */
function minuteNow({ view, connection }: ReadyDevice, before: WallTime): WallTime | undefined {
  const minute = Math.floor(wallAsUtcMs(before) / MINUTE_MS);
  return minute === Math.floor(wallAsUtcMs(latestNow(view, connection)) / MINUTE_MS) ? wallFromUtc(minute * MINUTE_MS) : undefined;
}

interface Numbers {
  shift: number;
  receipt: number;
}

function next({ shift }: View): Numbers {
  return { shift: shift.number, receipt: shift.receipts + 1 };
}

/** Reads the numbers of shift and receipt again after an intermediate document, such as an automatic opening of a shift. */
async function numbersNow({ connection }: ReadyDevice): Promise<Numbers | undefined> {
  const reply = await connection.ask("shiftParameters", { password: connection.passwords.system }, deadlineIn(connection.clock, ASK_MS));
  return reply.kind === "ok" ? { shift: reply.values.shift, receipt: reply.values.receipt } : undefined;
}

/**
 * Returns the view as the receipt has changed it, if nothing else has happened. Undefined: another document was made before the receipt, or
 * the drive did not show the receipt as its last document.
 */
function viewAfter(view: View, { sign, tenders }: TradeDocument, values: ClosingAnswer, drive: DriveAfter): View | undefined {
  if (values.documentNumber !== view.lastDocumentNumber + 1 || drive.kind !== "ours") return undefined;
  const cash = tenders.cashKopecks - (values.change ?? 0);
  return {
    ...view,
    lastDocumentNumber: values.documentNumber,
    shift: { ...view.shift, receipts: view.shift.receipts + 1 },
    drawerKopecks: view.drawerKopecks + (sign === 1 || sign === 4 ? cash : -cash),
    ownDocumentLast: true,
  };
}
