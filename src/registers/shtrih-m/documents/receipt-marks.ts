import type { Deadline } from "../../../kernel/deadline.ts";
import { isSumsOnly } from "../../../model/correction.ts";
import type { ReceiptLine, TradeDocument } from "../../../model/document.ts";
import type { Ffd } from "../../../model/facts.ts";
import { denialOf } from "../../../model/marks/mark-check.ts";
import { codeTaken, identityOf, type MarkReader, type PlacedMark, repeatedMark } from "../../../model/marks/marks.ts";
import { plannedStatus } from "../../../model/planned-status.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { isMeasured } from "../../../model/units.ts";
import { unreadRefusal } from "../../../model/unread-marks.ts";
import { requisite } from "../../tags/requisite.ts";
import { encodeRequisites, quantityTlv } from "../../tags/tlv.ts";
import type { CommandName } from "../commands/commands.ts";
import { type CheckFound, readCheck } from "../commands/marks.ts";
import type { KnownDevice } from "../identity/identity.ts";
import { refusalFrom, refusalOf, unreachable } from "../refusals/refusals.ts";
import type { Connection } from "../session/connection.ts";
import { callWhenPrinted } from "../session/printing.ts";
import { markBytes } from "./receipt-lines.ts";

interface HowToCheck {
  readMark: MarkReader;
  deadline: Deadline;
}

type Checked =
  /** Tag 2106 of each line, by index. Absent: nothing was checked. */
  { kind: "checked"; results?: (number | null)[] } | { kind: "refused"; refusal: Refusal };

/** Decisions of FF69 (shtrih-protocol 5.9). */
const REJECT = 0;
const ACCEPT = 1;
const CLEAR = 2;
/** The error of a device without marking. */
const NOT_SUPPORTED = 0x37;
/** The error for a wrong order of FF61 and FF69. All checks of the receipt then start again, once (shtrih-protocol 8.1, 12.3). */
const OUT_OF_ORDER = 0xa1;
const SEQUENCES = 2;
/** How many results a drive keeps for one receipt (shtrih-protocol 5.9). */
const MAX_MARKS = 128;
/** A frame of protocol 1.0 holds 255 bytes. Other fields of FF61 use ten; code and tags share the rest. */
const MAX_CODE_AND_TAGS_BYTES = 245;
/** Tag 2106 of an unchecked mark. */
const UNCHECKED = 0;

/** Returns why the receipt cannot be made with its marks. No mark is checked in that case. */
export function limitOfMarks(document: TradeDocument, ffd: Ffd, readMark: MarkReader): Refusal | undefined {
  if (isSumsOnly(document, ffd)) return undefined;
  // Before format 1.2 the drive neither checks nor keeps marks, so their number is not limited.
  if (ffd === "1.2" && document.lines.filter(({ mark }) => mark !== undefined).length > MAX_MARKS) {
    return refusalOf("document-too-large", "В чеке слишком много кодов маркировки: разделите чек");
  }
  const unread = unreadRefusal(document, readMark);
  if (unread !== undefined && document.sign <= 2) return unread;
  const identities: PlacedMark[] = [];
  for (const [at, line] of document.lines.entries()) {
    const { name, mark } = line;
    if (mark === undefined) continue;
    if (document.sign > 2) return refusalOf("device-refused", "В расходе коды маркировки не указываются");
    const code = codeTaken(mark, readMark);
    if (code.text.length + measureOf(line).length > MAX_CODE_AND_TAGS_BYTES) {
      return { code: "mark-unreadable", details: { name, problem: "length" } };
    }
    identities.push({ identity: identityOf(code), parameter: `lines[${at}].mark`, measured: isMeasured(line) });
  }
  if (repeatedMark(identities) !== undefined) return refusalOf("mark-repeated", "Код маркировки указан дважды");
  return ffd === "1.2" ? undefined : unchecked(document);
}

/** Returns a refusal if the point of sale requires checked marks, because this register cannot check them. */
function unchecked(document: TradeDocument): Refusal | undefined {
  const reason = denialIn(document, UNCHECKED);
  const name = document.lines.find(({ mark }) => mark !== undefined)?.name;
  return reason === undefined || name === undefined ? undefined : denied(name, reason);
}

/**
 * Lets the drive check every marking code before the receipt is opened (shtrih-protocol 5.9). A result that the point of sale's policy
 * forbids clears the checks and refuses the receipt.
 */
export async function checkMarks(
  connection: Connection,
  { identity }: KnownDevice,
  document: TradeDocument,
  { readMark, deadline }: HowToCheck,
): Promise<Checked> {
  if (identity.ffd !== "1.2" || document.lines.every(({ mark }) => mark === undefined)) return { kind: "checked" };
  for (let sequence = 1; ; sequence += 1) {
    await clear(connection, deadline);
    const checked = await checkAll(connection, document, { readMark, deadline });
    if (checked.kind !== "out-of-step") return checked;
    if (sequence === SEQUENCES || deadline.remainingMs() <= 0) return { kind: "refused", refusal: checked.refusal };
  }
}

/** `out-of-step`: the device's checks may differ from the sent checks. */
type Sequence = Checked | { kind: "out-of-step"; refusal: Refusal };

async function checkAll(connection: Connection, document: TradeDocument, how: HowToCheck): Promise<Sequence> {
  const results: (number | null)[] = [];
  for (const line of document.lines) {
    const { name, mark } = line;
    if (mark === undefined) {
      results.push(null);
      continue;
    }
    const found = await checkOne(connection, document, { ...line, mark }, how);
    if (found.kind === "out-of-step" || found.kind === "refused") return found;
    if (found.kind === "denied") {
      await clear(connection, how.deadline);
      return { kind: "refused", refusal: denied(name, found.reason) };
    }
    results.push(found.result);
  }
  return { kind: "checked", results };
}

type Found =
  | { kind: "found"; result: number }
  | { kind: "denied"; reason: string }
  | Extract<Sequence, { kind: "refused" | "out-of-step" }>;

/** Checks one code: FF61, then FF69 with the decision of the point of sale's policy. */
async function checkOne(
  connection: Connection,
  document: TradeDocument,
  line: ReceiptLine & { mark: string },
  { readMark, deadline }: HowToCheck,
): Promise<Found> {
  const { system } = connection.passwords;
  const plan = plannedStatus(line, document.sign);
  const code = { code: markBytes(line.mark, readMark), tlv: measureOf(line) };
  const checked = await callWhenPrinted(connection, "checkMark", { password: system, plan, mode: 0, mark: code }, deadline);
  if (checked.kind === "error") return failed(connection, checked.error);
  if (checked.kind !== "ok") return { kind: "refused", refusal: unreachable(checked.reason) };
  const online = onlineResult(connection, checked.values);
  const early = online === undefined ? undefined : denialIn(document, online);

  const decision = early === undefined ? ACCEPT : REJECT;
  const taken = await connection.call("acceptMark", { password: system, decision }, { deadline });
  if (early !== undefined) return { kind: "denied", reason: early };
  if (taken.kind === "error") return failed(connection, taken.error);
  // The device may have carried out FF69. A repeat might apply to the next code or to none, so all checks start again.
  if (taken.kind !== "ok") return { kind: "out-of-step", refusal: unreachable(taken.reason) };
  const { result } = taken.values;
  const reason = denialIn(document, result);
  return reason === undefined ? { kind: "found", result } : { kind: "denied", reason };
}

/** The number of decimals in a quantity of measured goods, as in the example bytes of shtrih-protocol 14.1. */
const QUANTITY_DECIMALS = 3;

/** Returns tags 2108 and 1023 of measured goods for FF61. Pieces have none (shtrih-protocol 5.9). */
function measureOf(line: ReceiptLine): Buffer {
  if (!isMeasured(line)) return Buffer.alloc(0);
  return Buffer.concat([encodeRequisites([requisite(2108, line.unit.code)]), quantityTlv(line.quantityMillionths, QUANTITY_DECIMALS)]);
}

function failed(connection: Connection, error: number): Extract<Found, { kind: "refused" | "out-of-step" }> {
  if (error === OUT_OF_ORDER) return { kind: "out-of-step", refusal: refusalFrom({ error }) };
  if (error !== NOT_SUPPORTED) return { kind: "refused", refusal: refusalFrom({ error }) };
  // Without its code, a sold item would stay unsold in the government's marking system, and the buyer's receipt would be wrong.
  connection.note("warn", "the register knows no marking codes: marked goods are refused there", { error });
  const { code } = refusalFrom({ error }).device ?? { code: "" };
  const words = "Касса не работает с кодами маркировки: обновите её программу или продайте товар на другой кассе";
  return { kind: "refused", refusal: { code: "device-refused", device: { code, words } } };
}

/**
 * Returns the result of the government's marking system. The answer has that system's code first, then tag 2106 (shtrih-protocol 5.9). One
 * known driver confuses these two values (shtrih-protocol 15). Undefined: the answer lacks the code or tag 2106, or the system reported a
 * problem.
 */
function onlineResult(connection: Connection, { online }: Pick<CheckFound, "online">): number | undefined {
  const [systemCode, result] = online;
  if (systemCode === undefined) return undefined;
  if (systemCode === 0) return result;
  const what = systemCode === BAD_ANSWER ? "has answered wrongly" : systemCode === NO_ANSWER ? "has not answered in time" : "has refused";
  connection.note("warn", `the state's system ${what} when a mark was checked`, { systemCode, result });
  return undefined;
}

const BAD_ANSWER = 0x20;
const NO_ANSWER = 0xff;

/**
 * Keeps the results of a receipt's marks while FF67 binds their codes to the positions. A device may have lost a check, for example in a
 * power cut. Such a device repeats the check during binding, and the new result replaces the earlier result (shtrih-protocol 5.9, FF67).
 */
export class BoundMarks {
  readonly #connection: Connection;
  readonly #document: TradeDocument;
  /** Tag 2106 of each line, by index. */
  readonly #results: (number | null)[] | undefined;
  /** Indexes of the lines with a code, in binding order. */
  readonly #lines: number[];

  constructor(connection: Connection, document: TradeDocument, results: (number | null)[] | undefined) {
    this.#connection = connection;
    this.#document = document;
    this.#results = results === undefined ? undefined : [...results];
    this.#lines = document.lines.flatMap(({ mark }, at) => (mark === undefined ? [] : [at]));
  }

  /** The drive's results so far. Absent: nothing was checked. */
  get results(): (number | null)[] | undefined {
    return this.#results;
  }

  /** Call this after each command that the device has carried out. Returns a refusal if a new result forbids the receipt. */
  after(name: CommandName, answer: object): Refusal | undefined {
    if (name !== "bindMark" || !("result" in answer)) return undefined;
    const at = this.#lines.shift();
    const found = Buffer.isBuffer(answer.result) && answer.result.length > 0 ? readCheck(answer.result) : undefined;
    if (at === undefined || found === undefined) return undefined;
    const result = onlineResult(this.#connection, found) ?? found.local;
    this.#connection.note("warn", "the register had forgotten the check of a mark and has checked it again", { result });
    if (this.#results !== undefined) this.#results[at] = result;
    const reason = denialIn(this.#document, result);
    return reason === undefined ? undefined : denied(this.#document.lines[at]?.name ?? "", reason);
  }
}

/**
 * Returns why the policy of the point of sale forbids the receipt. The policy forbids only receipts of sales: a correction reports an
 * earlier sale.
 */
function denialIn({ kind, sign, ...document }: TradeDocument, check: number): string | undefined {
  return kind === "receipt" && sign === 1 ? denialOf(document.markPolicy, check) : undefined;
}

function denied(name: string, reason: string): Refusal {
  return { code: "mark-denied", details: { name, reason } };
}

/** Deletes the checks in the device. A failure is ignored here: without a connection the next command fails too. */
async function clear(connection: Connection, deadline: Deadline): Promise<void> {
  await connection.call("acceptMark", { password: connection.passwords.system, decision: CLEAR }, { deadline });
}
