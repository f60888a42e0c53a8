import type { Deadline } from "../../kernel/deadline.ts";
import type { ReceiptDocument } from "../../model/document.ts";
import type { Refusal } from "../../model/refusal.ts";
import { encodeRequisites } from "../tags/tlv.ts";
import type { Connection } from "./connection.ts";
import type { Known } from "./identity.ts";
import { callWhenPrinted } from "./printing.ts";
import { markBytes } from "./receipt-lines.ts";
import { refusalFrom, unreachable } from "./refusals.ts";

export type Checked =
  /** Tag 2106 of each line in its place; absent when nothing was checked. */
  { kind: "checked"; results?: (number | null)[] } | { kind: "refused"; refusal: Refusal };

/** Tag 2003: one piece is sold, or comes back. */
const PIECE_SOLD = 1;
const PIECE_RETURNED = 3;
const ACCEPT = 1;
const CLEAR = 2;
/** Devices without marking do not know the command; they bind codes all the same, or refuse that. */
const NOT_SUPPORTED = 0x37;

/**
 * Has the drive check every marking code before the receipt is opened, and takes what it finds (reference
 * 5.9): whether a doubtful mark may be sold is decided elsewhere.
 */
export async function checkMarks(
  connection: Connection,
  { identity }: Known,
  { lines, sign }: ReceiptDocument,
  deadline: Deadline,
): Promise<Checked> {
  if (identity.ffd !== "1.2" || lines.every(({ mark }) => mark === undefined)) return { kind: "checked" };
  const { system } = connection.passwords;
  const plan = sign === 1 || sign === 3 ? PIECE_SOLD : PIECE_RETURNED;
  const results: (number | null)[] = [];
  await connection.call("acceptMark", { password: system, decision: CLEAR }, { deadline });
  for (const { mark } of lines) {
    if (mark === undefined) {
      results.push(null);
      continue;
    }
    const code = { code: markBytes(mark), tlv: encodeRequisites([]) };
    const checked = await callWhenPrinted(connection, "checkMark", { password: system, plan, mode: 0, mark: code }, deadline);
    if (checked.kind === "error" && checked.error === NOT_SUPPORTED) return { kind: "checked" };
    if (checked.kind === "error") return { kind: "refused", refusal: refusalFrom(checked) };
    if (checked.kind !== "ok") return { kind: "refused", refusal: unreachable(checked.reason) };
    const accepted = await connection.call("acceptMark", { password: system, decision: ACCEPT }, { deadline });
    if (accepted.kind === "error") return { kind: "refused", refusal: refusalFrom(accepted) };
    if (accepted.kind !== "ok") return { kind: "refused", refusal: unreachable(accepted.reason) };
    results.push(accepted.values.result);
  }
  return { kind: "checked", results };
}
