import { Failure, type FailureKind } from "../kernel/failure.ts";

/** Codes of the registers' failures. Expected behaviour of a device is never one of them. */
type RegisterFailureCode =
  /** The rack was asked for a register after it was closed, or for an address that cannot be parsed. */
  | "rack-closed"
  | "register-address"
  /** Another process, or another rack of this one, has the register. */
  | "register-locked"
  /** The folder of an emulated register cannot be written. */
  | "register-folder"
  /** What lies in the file of an emulated drive is not what was written, or was written by a later program. */
  | "drive-corrupt"
  | "drive-format"
  /** An emulated drive could not make a record durable: whether it is there, only opening it anew tells. */
  | "drive-write"
  /** The virtual device behind a byte-level front answers nothing: a fault of its own, no power, or a failed storage. */
  | "device-silent"
  /** A seller with whom no register can be registered. */
  | "seller-invalid"
  /** A command was given to a device before the one before it had ended: the lane must take turns. */
  | "exchange-overlap"
  /** A value that its requisite cannot hold: the rules should have refused the document. */
  | "tlv-value";

export function registerFailure(code: RegisterFailureCode, kind: FailureKind, message: string, options: { cause?: unknown } = {}): Failure {
  return new Failure(code, kind, message, options);
}
