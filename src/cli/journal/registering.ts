import { doubtWords } from "../../contracts/fiscal/doubt-words.ts";
import type { Refusal, RefusalCode } from "../../model/refusal.ts";
import type { Submission, Submitted } from "../../operations/submission.ts";
import type { Operations } from "../../operations/submit.ts";
import { uncorrectableWords } from "./words/uncorrectable-words.ts";

/** A submission is answered within nine seconds and goes on; a register is given up after three minutes. */
const MAX_WAITS = 30;

/** Registers by asking again until a slow register has ended; `endedMeanwhile` may know earlier, between two answers. */
export async function submitPatiently(
  operations: Pick<Operations, "submit">,
  submission: Submission,
  endedMeanwhile: () => Promise<Submitted | undefined> = async () => undefined,
): Promise<Submitted> {
  for (let wait = 1; wait <= MAX_WAITS; wait += 1) {
    const submitted = await operations.submit(submission);
    if (submitted.kind !== "running") return submitted;
    const ended = await endedMeanwhile();
    if (ended !== undefined) return ended;
  }
  return { kind: "running" };
}

/** Why something was refused: the register's own words, where it said any. */
export function refusalWords({ code, device, doubt, details }: Refusal): string {
  const reason = doubt === undefined ? (uncorrectableWords(details) ?? details?.reason) : doubtWords(doubt);
  const words = device === undefined ? reason : `${device.words} (${device.code})`;
  return words === undefined || words === "" ? code : `${code}: ${words}`;
}

/** A till reaches the register through the server alone, and the command only without the server: both by turns. */
const REMEDIES: Partial<Record<RefusalCode, string>> = {
  "shift-closed":
    "No shift is open. Start the server, open the shift at the till and put in enough cash for an undoing that pays out; then stop the server and say the same again",
  "cash-short":
    "The drawer holds too little cash. Start the server, put in enough cash at the till, in the open shift; then stop the server and say the same again",
};

/** What somebody does before a correction that was refused is asked for again. */
export function correctionRemedy({ code }: Refusal): string {
  return `${REMEDIES[code] ?? "Remove the cause and say the same again"}: what is registered already is not registered twice.`;
}
