import { type Deadline, deadlineIn, earlier } from "../../../kernel/deadline.ts";
import type { Connection } from "./connection.ts";

/** How long the late answer is awaited. A device that prints may not react for some seconds. */
const RECOVER_MS = 15_000;

/**
 * Fetches an answer that has not come. A device keeps its last answer until it is acknowledged, so a harmless question brings it.
 * Returns the answers that belong to earlier commands, and the time that is left.
 */
export async function lateAnswers(connection: Connection, deadline: Deadline): Promise<{ answers: Buffer[]; limit: Deadline }> {
  const limit = earlier(deadline, deadlineIn(connection.clock, RECOVER_MS));
  await connection.ask("shortStatus", { password: connection.passwords.system }, limit);
  return { answers: connection.takeStale(), limit };
}
