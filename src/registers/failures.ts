import { Failure, type FailureKind } from "../kernel/failure.ts";

/** Codes of the registers' failures. Expected behaviour of a device has no code here. */
type RegisterFailureCode =
  /** A register was requested from the rack after the rack was closed, or for an address that cannot be read. */
  | "rack-closed"
  | "register-address"
  /** Another process, or another rack of this process, uses the register. */
  | "register-locked"
  /** The folder of an emulated register cannot be written. */
  | "register-folder"
  /** The file of an emulated drive is damaged, or was written by a later program. */
  | "drive-corrupt"
  | "drive-format"
  /**
   * An emulated drive could not write a record to disk. Whether the record is there is known only after the drive is opened anew.
   */
  | "drive-write"
  /** The virtual device behind a protocol does not answer: a fault, no power, or a failed storage. */
  | "device-silent"
  /** No register can be registered for this seller. */
  | "seller-invalid"
  /** A command was given to a device before the previous one had ended. The lane must prevent this. */
  | "exchange-overlap"
  /** A requisite cannot hold the value. The rules should have refused the document. */
  | "tlv-value";

export function registerFailure(code: RegisterFailureCode, kind: FailureKind, message: string, options: { cause?: unknown } = {}): Failure {
  return new Failure(code, kind, message, options);
}
