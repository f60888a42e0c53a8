import type { Entry } from "../journal/entry.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import type { OperationServices } from "./services.ts";
import type { DoneOperation, Submission } from "./submission.ts";

/**
 * Returns the answer to a done operation, in bytes: the stored bytes, or new bytes, which are then stored. If the receipt cannot be drawn,
 * the answer has no receipt and is not stored. A repeat then draws the receipt again. Throws `journal-facts-missing` when a new answer is
 * needed and the entry has no facts.
 */
export async function answerFor(services: OperationServices, entry: Entry, submission: Submission): Promise<Buffer> {
  return (await services.journal.answerOf(entry.id)) ?? newAnswer(services, entry, submission);
}

/** Makes the answer of an entry that was just done. If another caller stored an answer meanwhile, returns that answer. */
export async function newAnswer(services: OperationServices, entry: Entry, submission: Submission): Promise<Buffer> {
  const { journal, log } = services;
  const done = await withReceipt(services, entry);
  const answer = submission.answer(done);
  if (done.receipt === undefined) return answer;
  try {
    return await journal.storeAnswer(entry, answer);
  } catch (error) {
    // The error changes nothing for the till: the operation is done and committed, so the answer is correct. A repeat makes an answer from
    // the same facts.
    log.error({ entry: entry.id, error: messageOf(error) }, "the answer could not be stored");
    return answer;
  }
}

async function withReceipt({ draw, log }: Pick<OperationServices, "draw" | "log">, entry: Entry): Promise<DoneOperation> {
  const { facts, document, paper } = entry;
  if (facts === undefined) throw new Failure("journal-facts-missing", "fault", `entry ${entry.id} is done without facts`);
  try {
    return { facts, receipt: await draw({ document, facts, paper }) };
  } catch (error) {
    log.error({ entry: entry.id, error: messageOf(error) }, "the receipt could not be drawn; the operation is registered");
    return { facts };
  }
}
