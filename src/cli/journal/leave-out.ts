import { OPERATOR } from "../../accounts/audit.ts";
import { type DocumentPlace, leaveOutDocument } from "../../operator/registers/leave-out-document.ts";
import { type CommandIo, UsageError } from "../command.ts";
import { atMost } from "../option-values.ts";
import type { JournalTools } from "./tools.ts";

interface LeaveOutOptions extends DocumentPlace {
  why: string;
}

const EXPECTED =
  "`journal leave-out DRIVE NUMBER --why TEXT`: the numbers of the drive (ФН) and of its document (ФД), as the log names them";

/** Reads `DRIVE NUMBER`. Throws `UsageError` for other words, and without a reason. */
export function leaveOutOptions(words: readonly string[], { why }: { why?: string }): LeaveOutOptions {
  const [driveNumber = "", number = "", ...more] = words;
  atMost(more, 0, EXPECTED);
  const documentNumber = Number(number);
  const isNumber = /^\d+$/.test(number) && documentNumber > 0 && Number.isSafeInteger(documentNumber);
  if (!/^\d+$/.test(driveNumber) || !isNumber) throw new UsageError(`expected ${EXPECTED}`);
  if (why === undefined || why.trim() === "") {
    throw new UsageError("leave-out needs --why: how it is known that the document holds no sale that will be repeated");
  }
  return { driveNumber, documentNumber, why: why.trim() };
}

/** Leaves the document out. Exit code 0: left out; 1: it is not outstanding. */
export async function leaveOut(
  tools: Pick<JournalTools, "journal" | "clock">,
  { driveNumber, documentNumber, why }: LeaveOutOptions,
  io: CommandIo,
): Promise<number> {
  const done = await leaveOutDocument(tools, { driveNumber, documentNumber }, why, OPERATOR);
  const name = `Document ${documentNumber} of drive ${driveNumber}`;
  if (done.kind === "left-out") {
    io.out(`${name} is left out: it is not requested again, and nothing waits for it. A running server learns of it in its next turn.`);
    io.out("If it holds a sale or return that the journal lacks, a repeat by the till registers it again: see its paper, or the archive.");
    return 0;
  }
  const { unread } = done.because;
  io.err(`${name} is not outstanding: nothing waits for it. ${outstandingText(unread)}`);
  return 1;
}

/** The number of outstanding documents that a refusal names. They fill one line. */
const NAMED = 20;

function outstandingText(unread: readonly number[]): string {
  if (unread.length === 0) return "This drive has no document that was requested and not returned.";
  const more = unread.length > NAMED ? `, and ${unread.length - NAMED} more` : "";
  return `Documents of this drive that were requested and not returned: ${unread.slice(0, NAMED).join(", ")}${more}.`;
}
