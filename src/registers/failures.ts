import { Failure, type FailureKind } from "../kernel/failure.ts";

/** Codes of the registers' failures. Expected device behaviour has no code here. */
type RegisterFailureCode =
  /** A register was requested after the rack was closed, or with an invalid address. */
  | "rack-closed"
  | "register-address"
  /** Another process, or another rack of this process, uses the register. */
  | "register-locked"
  /** The folder of an emulated register is not writable. */
  | "register-folder"
  /** The file of an emulated drive is damaged, or a newer version of this program wrote it. */
  | "drive-corrupt"
  | "drive-format"
  /** An emulated drive failed to write a record. Only opening the drive again shows whether the record was stored. */
  | "drive-write"
  /** The virtual device behind a protocol does not carry out a command: a fault, no power, or failed storage. */
  | "device-silent"
  /** The seller's data cannot be registered. */
  | "seller-invalid"
  /** A command was sent before the previous command ended. The lane must prevent this. */
  | "exchange-overlap"
  /** A requisite cannot hold the value. The rules should have refused the document. */
  | "tlv-value";

export function registerFailure(code: RegisterFailureCode, kind: FailureKind, message: string, options: { cause?: unknown } = {}): Failure {
  return new Failure(code, kind, message, options);
}
