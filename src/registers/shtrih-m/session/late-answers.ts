import { type Deadline, deadlineIn, earlier } from "../../../kernel/deadline.ts";
import type { Connection } from "./connection.ts";

/** Asking once more for an answer that has not come: a device that prints may be deaf for some seconds. */
const RECOVER_MS = 15_000;

/**
 * The answer to the last command has not come. A device keeps it until it is acknowledged, so the next exchange may
 * bring it: one harmless question is asked. Returns what came instead of its answer, and the time that is left.
 */
export async function lateAnswers(connection: Connection, deadline: Deadline): Promise<{ answers: Buffer[]; limit: Deadline }> {
  const limit = earlier(deadline, deadlineIn(connection.clock, RECOVER_MS));
  await connection.ask("shortStatus", { password: connection.passwords.system }, limit);
  return { answers: connection.takeStale(), limit };
}
