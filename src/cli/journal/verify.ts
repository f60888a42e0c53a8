import { differencesOf } from "../../contracts/fiscal/answer-differences.ts";
import type { AnswerCheck } from "../../journal/verify/check-entry.ts";
import { type Verification, verifyJournal } from "../../journal/verify/verify-journal.ts";
import type { Store } from "../../store/database.ts";
import { type CommandIo, lineByLine } from "../command.ts";
import { findingText } from "./words/finding-words.ts";

export interface VerifyTools {
  store: Pick<Store, "read" | "commit" | "kind">;
  close(): Promise<void>;
}

/** Recounts the journal. Exit code 1: a row differs, or not everything was counted. */
export async function verify({ store }: VerifyTools, json: boolean, io: CommandIo): Promise<number> {
  const verification = await verifyJournal(store, { answerCheck, signal: io.signal });
  const { findings, isCut } = verification;
  if (json) io.out(JSON.stringify({ ...verification, isRight: findings.length === 0 && !isCut }, undefined, 2));
  else {
    for (const finding of findings) lineByLine(io).out(findingText(finding));
    io.out(summary(verification));
  }
  if (io.signal.aborted) io.err("A signal came first: not everything was counted.");
  return findings.length === 0 && !isCut ? 0 : 1;
}

function summary({ entries, moves, answers, documents, findings, isCut }: Verification): string {
  const counted = `${entries} entries, ${moves} moves, ${answers} answers and ${documents} documents of drives were counted`;
  if (findings.length === 0) return `${counted}: ${isCut ? "nothing is wrong so far" : "everything agrees"}`;
  return `${counted}: ${findings.length} rows differ${isCut ? ", and counting ended" : ""}`;
}

/** Operations that a person ordered at this server. Their answer is only their document's id. */
const OF_A_PERSON: readonly string[] = ["correction", "x-report", "state-report"];

const answerCheck: AnswerCheck = ({ key, facts }, body) => {
  if (OF_A_PERSON.includes(key.operation)) {
    const isId = body.toString() === key.documentId;
    return isId ? [] : [{ part: "body", stored: `${body.length} bytes`, counted: key.documentId }];
  }
  return facts === undefined ? [] : differencesOf(facts, body);
};
