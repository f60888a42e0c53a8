import type { Deadline } from "../../kernel/deadline.ts";
import type { Recalled, RecordedAttempt } from "../register.ts";
import type { TunnelConnection } from "../tunnel.ts";
import { ask, wordsOf } from "./question.ts";
import { recalledSchema } from "./wire/register-schema.ts";

/**
 * Asks an agent for the outcome of an attempt. Only the record that got the attempt can answer `never`. Another record's `never` counts as
 * `unknown`.
 */
export async function recallFrom(
  connection: TunnelConnection,
  register: string,
  { id, record }: RecordedAttempt,
  deadline: Deadline,
): Promise<Recalled> {
  const asked = await ask(connection, { do: "recall", register, attempt: id }, recalledSchema, deadline);
  if (asked.kind !== "answer") return { kind: "unreachable", reason: asked.kind === "failed" ? wordsOf(asked) : asked.reason };
  return asked.value.kind === "never" && record !== connection.folder ? { kind: "unknown" } : asked.value;
}
