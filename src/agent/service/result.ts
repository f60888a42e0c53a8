import type { Call } from "../../registers/agent/wire/frames-schema.ts";
import type { FailedCode } from "../../registers/agent/wire/protocol.ts";

/** What the agent answers to a call. */
export type Result = { kind: "result"; result: unknown } | { kind: "failed"; code: FailedCode; reason: string };

/** The steps between a `perform` and its answer, on the connection that the call came by. */
export interface Steps {
  accepted(): void;
  /** Waits for the server's `go`. False: it did not come in time, or the connection has ended. */
  go(): Promise<boolean>;
}

export type CallOf<Name extends Call["do"]> = Extract<Call, { do: Name }>;
export type RegisterCall = Exclude<Call, { do: "log" }>;

export function failed(code: FailedCode, reason: string): Result {
  return { kind: "failed", code, reason };
}

export function resultOf(result: unknown): Result {
  return { kind: "result", result };
}
