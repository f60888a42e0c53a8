import type { Entry } from "../journal/entry.ts";
import { type Doubt, UNSTATED } from "../model/doubt.ts";
import { isDebugDrive } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";
import { unreachable } from "../model/unreachable.ts";
import type { Register, RegisterState } from "../registers/register.ts";
import { read } from "./found-in-drive/unknown-documents.ts";
import type { TurnServices } from "./services.ts";

/**
 * The reasons why a register accepts no operation now. A turn checks them before it sends. A rehearsal checks them
 * beforehand, with the same result.
 */

/** The rules of a turn, besides the document. */
export interface TurnRules {
  /** The point of sale lets the server open and close shifts on its own. */
  automaticShift: boolean;
  /**
   * Drives that this installation may use. `test`: only drives whose number begins with 9999. `live`: only other
   * drives. `any`: all.
   */
  drives: "test" | "live" | "any";
}

export function notReady(state: RegisterState, rules: TurnRules): Refusal | undefined {
  if (state.paper === "out") return { code: "no-paper" };
  const kind = isDebugDrive(state.driveNumber) ? "test" : "live";
  if (rules.drives !== "any" && rules.drives !== kind) return { code: "drive-kind-mixed", details: { drive: state.driveNumber } };
  return undefined;
}

/** The refusal while an entry in doubt stops the register's lane. */
export function laneStopped({ operation }: Pick<Entry, "operation">, doubt: Doubt = UNSTATED): Refusal {
  return { code: "lane-stopped", details: { document: operation.name }, doubt };
}

/** A register, and the address of its lane. */
interface RegisterPlace {
  device: Register;
  register: string;
}

/**
 * Returns the refusal when the drive has fewer documents than before. A drive never loses documents, so this drive is
 * damaged, was restored from a copy, or is a copy. `newest`: the journal's newest number of this drive. A document that
 * was only read in the drive counts too, because its number is on somebody's receipt. The drive itself is asked for
 * such a document, because the number in the status may be old.
 */
export async function wentBack(
  { journal, log, clock }: Pick<TurnServices, "journal" | "log" | "clock">,
  { device, register }: RegisterPlace,
  state: RegisterState,
  newest: number,
): Promise<Refusal | undefined> {
  const found = state.lastDocumentNumber;
  const reading = await journal.drives.of(state.driveNumber, newest);
  const known = Math.max(newest, reading.readTo ?? 0);
  if (found >= known) return undefined;
  if (found >= newest) {
    const still = await read({ services: { clock }, device, reading }, known);
    if (still.kind === "unreachable") return unreachable(still.reason);
    if (still.kind === "found" || still.kind === "foreign") return undefined;
  }
  // If a person typed that number, the number may be wrong and the drive right. So the log names the entry that has the
  // number.
  const owner = known === newest ? await journal.newestFiscal(state.driveNumber) : undefined;
  const of = owner === undefined ? {} : { entry: owner.id };
  log.error({ register, drive: state.driveNumber, known, found, ...of }, "the register has lost documents; the lane waits for a person");
  const details = { known: String(known), found: String(found) };
  return { code: "register-went-back", details: owner === undefined ? details : { ...details, entry: String(owner.id) } };
}
