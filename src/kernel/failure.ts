/** Who has to act: the caller, the device's owner, whoever runs what we depend on, or we ourselves. */
export type FailureKind = "caller" | "device" | "dependency" | "fault";

/**
 * The only error class. `code` comes from the throwing module's own table; `retrySafe` says that
 * the same call may be made again without any effect being doubled.
 *
 * Expected behaviour of a device, a bank or a caller is a named result, not a Failure.
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

/** The words of anything that was thrown, for a log line or an answer's reason. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
