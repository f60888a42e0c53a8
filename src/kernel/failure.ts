/**
 * Who has to act. `caller`: the caller. `device`: the owner of the device. `dependency`: the operator of a service that this server needs.
 * `fault`: the developers of this program.
 */
export type FailureKind = "caller" | "device" | "dependency" | "fault";

/**
 * The error class for failures that other modules handle. `code` comes from a table of the throwing module. `retrySafe`: true only if a
 * repeated call cannot have its effect twice. File functions of `kernel` throw the plain errors of the file system or of SQLite instead.
 *
 * Expected behaviour of a device, a bank or a caller is a named result, never a Failure.
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

/** Returns the message of an error, or any other thrown value as a text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
