import type { DriveReading } from "../../journal/drives/drive-reading.ts";
import { type Deadline, deadlineIn } from "../../kernel/deadline.ts";
import { type LookUp, OTHER_DRIVE, type Register } from "../../registers/register.ts";
import { INSPECT_LIMIT_MS, type TurnServices } from "../services.ts";

/** How often one document is requested when the register answers without returning it. One failed read must not refuse a sale. */
const ATTEMPTS = 3;

interface Reader {
  services: Pick<TurnServices, "clock">;
  device: Register;
  reading: DriveReading;
}

/** The register answers but does not return the document. `asked`: the document was requested in this turn. */
export interface Unread {
  kind: "unread";
  reason: string;
  asked: boolean;
}

export type Given = Extract<LookUp, { kind: "found" | "foreign" }>;

/**
 * Requests a document from the drive `driveNumber`. The drive may be exchanged while its documents are read. So an answer from another
 * drive counts as `unreachable`: otherwise documents of another drive would be noted as documents of this drive.
 */
export async function lookUpIn(driveNumber: string, device: Register, number: number, deadline: Deadline): Promise<LookUp> {
  const found = await device.lookUp(number, deadline);
  if (found.kind === "unreachable") return found;
  if (found.kind === "found") return found.facts.identity.driveNumber === driveNumber ? found : OTHER_DRIVE_CAME;
  // The answers `foreign` and `absent` do not name their drive.
  const identity = await device.identity(deadline);
  if (identity.kind === "unreachable") return { kind: "unreachable", reason: identity.reason };
  return identity.value.driveNumber === driveNumber ? found : OTHER_DRIVE_CAME;
}

const OTHER_DRIVE_CAME = { kind: "unreachable", reason: OTHER_DRIVE } as const;

/** Requests a document. Distinguishes a register that does not return the document from a silent register. */
export async function read(
  { services: { clock }, device, reading }: Reader,
  number: number,
  { attempts = ATTEMPTS, limitMs = INSPECT_LIMIT_MS }: { attempts?: number; limitMs?: number } = {},
): Promise<LookUp | Unread> {
  let reason = "";
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const found = await lookUpIn(reading.driveNumber, device, number, deadlineIn(clock, limitMs));
    if (isGiven(found)) reading.givesDocuments = true;
    if (found.kind !== "unreachable") return found;
    const seen = await device.inspect(deadlineIn(clock, INSPECT_LIMIT_MS));
    if (seen.kind === "unreachable") return found;
    if (seen.value.driveNumber !== reading.driveNumber) return OTHER_DRIVE_CAME;
    reason = found.reason;
  }
  return { kind: "unread", reason, asked: true };
}

export function isGiven(found: LookUp | Unread): found is Given {
  return found.kind === "found" || found.kind === "foreign";
}
