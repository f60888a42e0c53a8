/**
 * Who has to act. `caller`: the caller. `device`: the owner of the device. `dependency`: the operator of a service that this server needs.
 * `fault`: the developers of this program.
 */
export type FailureKind = "caller" | "device" | "dependency" | "fault";

/**
 * The only error class. `code` comes from a table of the throwing module. `retrySafe` means that the call may be
 * repeated without doubling any effect.
 *
 * Expected behaviour of a device, a bank or a caller is a named result and no Failure.
 */
export class Failure extends Error {
  readonly code: string;
  readonly kind: FailureKind;
  readonly retrySafe: boolean;

  constructor(code: string, kind: FailureKind, message: string, options: { retrySafe?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Failure";
    this.code = code;
    this.kind = kind;
    this.retrySafe = options.retrySafe ?? false;
  }
}

/** Returns the message of anything that was thrown, for a log line or an answer. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
