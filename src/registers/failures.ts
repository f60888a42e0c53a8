import { Failure, type FailureKind } from "../kernel/failure.ts";

/** Codes of the registers' failures. Expected device behaviour has no code here. */
type RegisterFailureCode =
  /** A register was requested after the rack was closed. */
  | "rack-closed"
  /** A register was requested with an invalid address. */
  | "register-address"
  /** The register is locked already, by another process or within this process. */
  | "register-locked"
  /** The holder's name could not be written into the folder of an emulated register. */
  | "register-folder"
  /** The file of an emulated drive is damaged. */
  | "drive-corrupt"
  /** Another version of this program wrote the file of an emulated drive in another format. */
  | "drive-format"
  /** An emulated drive failed to write a record. Only opening the drive again shows whether the record was stored. */
  | "drive-write"
  /** The virtual device behind a protocol does not carry out a command: a fault, no power, or failed storage. */
  | "device-silent"
  /** The seller's data cannot be registered. */
  | "seller-invalid"
  /** A command was to be sent before the previous command ended. The lane must prevent this. */
  | "exchange-overlap"
  /** A requisite cannot hold the value. The rules should have refused the document. */
  | "tlv-value";

export function registerFailure(code: RegisterFailureCode, kind: FailureKind, message: string, options: { cause?: unknown } = {}): Failure {
  return new Failure(code, kind, message, options);
}
