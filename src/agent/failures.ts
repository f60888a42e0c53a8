import { Failure, type FailureKind } from "../kernel/failure.ts";

type AgentFailureCode =
  /** The command line, the environment or `agent.json` is wrong. */
  | "configuration"
  /** The data folder or the record is missing, was removed or replaced, or cannot be used. */
  | "folder-gone"
  | "folder-held"
  /** The folder has no identity or key, or they cannot be read. For example, `enrol` was not run or did not finish. */
  | "not-enrolled"
  | "not-admitted"
  /** The record does not have the attempt that a person asked for. */
  | "no-attempt"
  | "service-failed"
  | "record-failed";

export function agentFailure(code: AgentFailureCode, kind: FailureKind, message: string, options: { cause?: unknown } = {}): Failure {
  return new Failure(code, kind, message, options);
}
