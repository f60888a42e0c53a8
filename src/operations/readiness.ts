import type { Entry } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { Log } from "../kernel/log.ts";
import { type Doubt, UNSTATED } from "../model/doubt.ts";
import { isDebugDrive } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";
import type { RegisterState } from "../registers/register.ts";

/*
 * Why a register accepts no operation now. A turn asks before it sends, and a rehearsal asks beforehand: both get the
 * same answer.
 */

/** What a turn needs to know beside the document. */
export interface TurnRules {
  /** The point of sale lets the server open and close shifts on its own. */
  automaticShift: boolean;
  /** Drives that this installation may use: `9999…` for a test one, any other for a live one, or all. */
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

/**
 * A drive never loses documents. A drive that has fewer than the journal is damaged, restored from a copy, or is a
 * copy. `known`: the journal's newest number of this drive.
 */
export async function wentBack(
  { journal, log }: { journal: Journal; log: Log },
  register: string,
  state: RegisterState,
  known: number,
): Promise<Refusal | undefined> {
  const found = state.lastDocumentNumber;
  if (found >= known) return undefined;
  // If a person typed that number, the number may be wrong and the drive right. So the log names the entry that has the
  // number.
  const owner = await journal.newestFiscal(state.driveNumber);
  const of = owner === undefined ? {} : { entry: owner.id };
  log.error({ register, drive: state.driveNumber, known, found, ...of }, "the register has lost documents; the lane waits for a person");
  const details = { known: String(known), found: String(found) };
  return { code: "register-went-back", details: owner === undefined ? details : { ...details, entry: String(owner.id) } };
}
