import type { Deadline } from "../../kernel/deadline.ts";
import type { Recalled, RecordedAttempt } from "../register.ts";
import type { TunnelConnection } from "../tunnel.ts";
import { ask, wordsOf } from "./question.ts";
import type { FailedCode } from "./wire/protocol.ts";
import { recalledSchema } from "./wire/register-schema.ts";

/** `lasting`: the agent would answer the same question with the same failure again. */
type RecalledThere = Exclude<Recalled, { kind: "unreachable" }> | { kind: "unreachable"; reason: string; lasting: boolean };

/** Failures that a repeated question does not end: another process holds the register, or the agent has other settings or programs. */
const LASTING: ReadonlySet<string> = new Set<FailedCode>(["fenced", "unknown-register", "unknown-call", "agent-too-old"]);

/**
 * Asks an agent for the outcome of an attempt. Only the record that got the attempt can answer `never`. Another record's `never` counts as
 * `unknown`.
 */
export async function recallFrom(
  connection: TunnelConnection,
  register: string,
  { id, record }: RecordedAttempt,
  deadline: Deadline,
): Promise<RecalledThere> {
  const asked = await ask(connection, { do: "recall", register, attempt: id }, recalledSchema, deadline);
  if (asked.kind === "failed") return { kind: "unreachable", reason: wordsOf(asked), lasting: LASTING.has(asked.code) };
  if (asked.kind === "lost") return { kind: "unreachable", reason: asked.reason, lasting: false };
  return asked.value.kind === "never" && record !== connection.folder ? { kind: "unknown" } : asked.value;
}
