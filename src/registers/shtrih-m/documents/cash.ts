import { type Deadline, deadlineIn } from "../../../kernel/deadline.ts";
import type { WallTime } from "../../../kernel/moment.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import { present } from "../../../kernel/present.ts";
import type { CashDocument } from "../../../model/document.ts";
import type { CashFacts } from "../../../model/facts.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { NOT_PERMITTED } from "../../not-permitted.ts";
import { decodeAnswer } from "../commands/commands.ts";
import { isDoubtful, refusalOf, unreachable, wordsOf } from "../refusals/refusals.ts";
import { lateAnswers } from "../session/late-answers.ts";
import { callWhenPrinted } from "../session/printing.ts";
import { inDoubt, type Performed, refuse } from "../state/performed.ts";
import type { ReadyDevice } from "../state/ready-device.ts";
import { timeNow } from "../state/view.ts";
import { limitOfCash } from "./receipt-limits.ts";
import { refusalByMode } from "./refusal-by-mode.ts";

const ASK_MS = 6_000;
/** The money register of the cash in the drawer (shtrih-protocol 5.4). */
const DRAWER = 241;

/**
 * Registers cash in or out with one command and without a fiscal document. The command changes the counted cash, so the driver repeats the
 * command only after the answer that the device is busy.
 */
export async function performCash(device: ReadyDevice, document: CashDocument, deadline: Deadline): Promise<Performed> {
  const { connection, view } = device;
  const unfit = view.shift.open
    ? (limitOfCash(document) ?? movedByHand(device))
    : refusalOf("shift-closed", "Смена закрыта: откройте смену");
  if (unfit !== undefined) return refuse(unfit);
  if (!(await device.mayRegister())) return refuse(unreachable(NOT_PERMITTED));
  connection.takeStale();
  const name = document.kind === "cash-in" ? "cashIn" : "cashOut";
  const values = { password: connection.passwords.operator, sum: document.sumKopecks };
  const before = timeNow(view, connection);
  const { openings } = connection;
  const called = await callWhenPrinted(connection, name, values, deadline);
  switch (called.kind) {
    case "ok":
      // If the link was reopened meanwhile, the answer may be old. The time before the command is then used.
      return moved(device, document, connection.openings === openings ? timeNow(view, connection) : before);
    case "error":
      if (isDoubtful(called.error)) return inDoubt({ code: "refusal-doubtful", words: wordsOf(called.error) });
      return refuse(detailed(await refusalByMode(connection, called, deadline), document, device));
    case "undelivered":
      return called.bytesLeft ? recover(device, document, { reason: called.reason, before }, deadline) : refuse(unreachable(called.reason));
    case "unknown":
      return recover(device, document, { reason: called.reason, before }, deadline);
  }
}

/**
 * Returns a refusal if a person may have moved cash since the last inspection. After a lost answer only the drawer's sum shows whether the
 * slip was made. A movement by hand would make this sum useless. A repeat of the document begins with a new inspection.
 */
function movedByHand({ view, reportedDrawerKopecks: reported }: ReadyDevice): Refusal | undefined {
  if (reported === undefined || reported === view.drawerKopecks) return undefined;
  return {
    code: "device-refused",
    details: { reason: `в ней только что двигали наличные: было ${formatKopecks(reported)}, стало ${formatKopecks(view.drawerKopecks)}` },
  };
}

/**
 * Returns the slip's facts. A slip has no number and no sign. `time`: the device's time of the slip. The balance is the register's drawer
 * counter, or is computed when the register does not give it.
 */
async function moved({ connection, known, view }: ReadyDevice, document: CashDocument, time: WallTime): Promise<Performed> {
  const { system } = connection.passwords;
  const deadline = deadlineIn(connection.clock, ASK_MS);
  const drawer = await connection.ask("moneyRegister", { password: system, register: DRAWER }, deadline);
  const change = document.kind === "cash-in" ? document.sumKopecks : -document.sumKopecks;
  const facts: CashFacts = {
    kind: "cash",
    document: document.kind,
    identity: known.identity,
    time,
    shiftNumber: view.shift.number,
    ...present({ cashierName: document.cashierName }),
    sumKopecks: document.sumKopecks,
    drawerKopecks: drawer.kind === "ok" ? drawer.values.value : view.drawerKopecks + change,
  };
  return { outcome: { kind: "done", facts } };
}

/** A command without an answer. `before`: the device's time before the command. */
interface Lost {
  reason: string;
  before: WallTime;
}

/**
 * Recovers a lost answer: the device may send its stored answer with the next exchange. That answer lacks the slip's time, so the time
 * before the command is used, as when a doubt is settled.
 */
async function recover(device: ReadyDevice, document: CashDocument, { reason, before }: Lost, deadline: Deadline): Promise<Performed> {
  const { connection } = device;
  const name = document.kind === "cash-in" ? "cashIn" : "cashOut";
  const { answers, limit } = await lateAnswers(connection, deadline);
  for (const data of answers) {
    const answer = decodeAnswer(name, data);
    if (answer.kind === "ok") return moved(device, document, before);
    if (answer.kind === "error" && !isDoubtful(answer.error)) {
      return refuse(detailed(await refusalByMode(connection, answer, limit), document, device));
    }
  }
  return inDoubt({ code: "no-answer", reason });
}

function detailed(refusal: Refusal, document: CashDocument, { view }: ReadyDevice): Refusal {
  if (refusal.code !== "cash-short") return refusal;
  return { ...refusal, details: { drawer: formatKopecks(view.drawerKopecks), required: formatKopecks(document.sumKopecks) } };
}
