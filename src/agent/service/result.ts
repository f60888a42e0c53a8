import type { Call } from "../../registers/agent/wire/frames-schema.ts";
import type { FailedCode } from "../../registers/agent/wire/protocol.ts";

export type Result = { kind: "result"; result: unknown } | { kind: "failed"; code: FailedCode; reason: string };

/** The messages between a `perform` and its answer, on the call's connection. */
export interface Steps {
  accepted(): void;
  /** Waits for the server's `go`. False: `go` did not come in time, or the connection has ended. */
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
