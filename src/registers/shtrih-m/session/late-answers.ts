import { type Deadline, deadlineIn, earlier } from "../../../kernel/deadline.ts";
import type { Connection } from "./connection.ts";

/** How long the driver waits for the late answer. A device that is printing may not react for some seconds. */
const RECOVER_MS = 15_000;

/**
 * Fetches a missing answer. A device keeps its last answer until the answer is acknowledged, and sends this answer at the next question.
 * This function asks for the status, which changes nothing. Returns the answers to earlier commands, and the deadline for further
 * questions.
 */
export async function lateAnswers(connection: Connection, deadline: Deadline): Promise<{ answers: Buffer[]; limit: Deadline }> {
  const limit = earlier(deadline, deadlineIn(connection.clock, RECOVER_MS));
  await connection.ask("shortStatus", { password: connection.passwords.system }, limit);
  return { answers: connection.takeStale(), limit };
}
