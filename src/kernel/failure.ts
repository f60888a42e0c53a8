/** Who has to act: the caller, the owner of the device, whoever runs a service that we depend on, or we ourselves. */
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

/** The message of anything thrown, for a log line or an answer. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
