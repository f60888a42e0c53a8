import { differencesOf } from "../../contracts/fiscal/answer-differences.ts";
import type { AnswerCheck } from "../../journal/verify/check-entry.ts";
import { verifyJournal } from "../../journal/verify/verify-journal.ts";
import type { Store } from "../../store/database.ts";
import type { CommandIo } from "../command.ts";
import { printRecount } from "../recount.ts";
import { findingText } from "./words/finding-words.ts";

export interface VerifyTools {
  store: Pick<Store, "read" | "commit" | "kind">;
  close(): Promise<void>;
}

/** Recounts the journal. Exit code 1: a row differs, or not everything was counted. */
export async function verify({ store }: VerifyTools, json: boolean, io: CommandIo): Promise<number> {
  const verification = await verifyJournal(store, { answerCheck, signal: io.signal });
  const { entries, moves, answers, documents } = verification;
  const counted = `${entries} entries, ${moves} moves, ${answers} answers and ${documents} documents of drives were counted`;
  return printRecount(verification, { textOf: findingText, counted, agrees: "everything agrees" }, json, io);
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
