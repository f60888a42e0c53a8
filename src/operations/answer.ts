import type { Entry } from "../journal/entry.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import type { OperationServices } from "./services.ts";
import type { DoneOperation, Submission } from "./submission.ts";

/**
 * The bytes that answer a done operation: those that were stored, else made now and stored. A receipt that
 * cannot be drawn leaves the answer without it and unstored, so that a repeat completes it.
 */
export async function answerFor(services: OperationServices, entry: Entry, submission: Submission): Promise<Buffer> {
  return (await services.journal.answerOf(entry.id)) ?? newAnswer(services, entry, submission);
}

/** The same for an entry that has just been done; should another have stored its bytes meanwhile, those are the answer. */
export async function newAnswer(services: OperationServices, entry: Entry, submission: Submission): Promise<Buffer> {
  const { journal, log } = services;
  const done = await withReceipt(services, entry);
  const answer = submission.answer(done);
  if (done.receipt === undefined) return answer;
  try {
    return await journal.storeAnswer(entry, answer);
  } catch (error) {
    // The operation is done and committed: the answer is true, and the same facts make the same bytes again.
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
