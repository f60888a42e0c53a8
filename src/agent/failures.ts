import { Failure, type FailureKind } from "../kernel/failure.ts";

/** Codes of the agent's failures. */
type AgentFailureCode =
  /** The command line or `agent.json` cannot be used as it is written. */
  | "configuration"
  /** The data folder is missing, was removed, or cannot be used. */
  | "folder-gone"
  /** Another process uses the data folder. */
  | "folder-held"
  /** The folder has no identity: `enrol` was not run, or not to its end. */
  | "not-enrolled"
  /** The server did not enrol the agent. */
  | "not-admitted"
  /** A person asks for an attempt that the record does not have. */
  | "no-attempt"
  /** The service could not be installed or removed. */
  | "service-failed"
  /** The record of attempts could not be written. */
  | "record-failed";

export function agentFailure(code: AgentFailureCode, kind: FailureKind, message: string, options: { cause?: unknown } = {}): Failure {
  return new Failure(code, kind, message, options);
}
