import type { Entry } from "../journal/entry.ts";
import { type Doubt, UNSTATED } from "../model/doubt.ts";
import { isDebugDrive } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";
import { unreachable } from "../model/unreachable.ts";
import type { Register, RegisterState } from "../registers/register.ts";
import { read } from "./found-in-drive/read-document.ts";
import type { TurnServices } from "./services.ts";

/** The reasons why a register accepts no operation now. A turn checks them before it sends, a rehearsal without sending. */

/** The rules of a turn, besides the document. */
export interface TurnRules {
  /** The server may open and close shifts automatically for this point of sale. */
  automaticShift: boolean;
  /** Drives that this installation may use. `test`: only numbers that begin with 9999. `live`: only other numbers. `any`: all. */
  drives: "test" | "live" | "any";
}

/** Returns why nothing can be sent: the paper is out, or the installation may not use a drive of this kind. */
export function notReady(state: RegisterState, rules: TurnRules): Refusal | undefined {
  if (state.paper === "out") return { code: "no-paper" };
  const kind = isDebugDrive(state.driveNumber) ? "test" : "live";
  if (rules.drives !== "any" && rules.drives !== kind) return { code: "drive-kind-mixed", details: { drive: state.driveNumber } };
  return undefined;
}

/** Returns the refusal while an entry in doubt stops the register's lane. */
export function laneStopped({ operation }: Pick<Entry, "operation">, doubt: Doubt = UNSTATED): Refusal {
  return { code: "lane-stopped", details: { document: operation.name }, doubt };
}

interface RegisterPlace {
  device: Register;
  register: string;
}

/**
 * Returns the refusal when the drive has fewer documents than before, or when the register does not answer. A drive never loses documents,
 * so this drive is damaged, was restored from a copy, or is a copy.
 *
 * `newest`: the journal's newest number of this drive. The drive must also have every document that the server read in it earlier, even if
 * the journal lacks the document: somebody has a receipt with its number. When such a document seems to be missing, it is requested from
 * the drive, because the status may have an old number.
 */
export async function wentBack(
  { journal, log, clock }: Pick<TurnServices, "journal" | "log" | "clock">,
  { device, register }: RegisterPlace,
  state: RegisterState,
  newest: number,
): Promise<Refusal | undefined> {
  const found = state.lastDocumentNumber;
  const reading = await journal.drives.of(state.driveNumber, newest);
  await reading.followSeen();
  const known = Math.max(newest, reading.seenTo);
  if (found >= known) return undefined;
  if (found >= newest) {
    const still = await read({ services: { clock }, device, reading }, known);
    if (still.kind === "unreachable") return unreachable(still.reason);
    if (still.kind === "found" || still.kind === "foreign") return undefined;
  }
  // A person may have typed the journal's newest number wrongly. The log therefore names the entry with this number.
  const owner = known === newest ? await journal.newestFiscal(state.driveNumber) : undefined;
  const of = owner === undefined ? {} : { entry: owner.id };
  log.error({ register, drive: state.driveNumber, known, found, ...of }, "the register has lost documents; the lane waits for a person");
  const details = { known: String(known), found: String(found) };
  return { code: "register-went-back", details: owner === undefined ? details : { ...details, entry: String(owner.id) } };
}
