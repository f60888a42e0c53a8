import type { Entry } from "../journal/entry.ts";
import { needsPerson } from "../journal/responsibility.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Register, RegisterState } from "../registers/register.ts";
import { laneStopped } from "./readiness.ts";
import type { TurnServices } from "./services.ts";
import { settle } from "./settle-by-register.ts";

/** Settles the doubts of a register: nothing is sent while an outcome is unknown. Returns the refusal for a doubt that remains. */
export async function clearDoubts(services: TurnServices, device: Register, register: string): Promise<Refusal | undefined> {
  for (const entry of await services.journal.sentOn(register)) {
    const doubt = await settledProblem(services, device, entry);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}

/**
 * Settles the doubts about documents that were sent to the same drive through other addresses. Such a document may be the opening of the
 * present shift, so without it the shift's owner is unknown. The drive answers for each of its documents, whatever the address is.
 *
 * A doubt that only its own address can end stops this turn (`isEndedAnywhere`).
 */
export async function clearDoubtsElsewhere(
  services: TurnServices,
  device: Register,
  register: string,
  { driveNumber }: Pick<RegisterState, "driveNumber">,
): Promise<Refusal | undefined> {
  const { journal } = services;
  for (const { id } of await journal.heads.sentToDriveElsewhere(driveNumber, register)) {
    const entry = await journal.get(id);
    if (entry === undefined || (entry.state !== "sending" && entry.state !== "in-doubt")) continue;
    if (!isEndedAnywhere(entry)) return laneStopped(entry, entry.doubt);
    const doubt = await settledProblem(services, device, entry);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}

/**
 * Whether the drive may be asked for the document through another address. Not while a turn of the entry's own address may be sending it,
 * and not after an agent got it: the agent may send it late, so the drive's answer that it has nothing would not be the last word.
 */
export function isEndedAnywhere({ state, checkpoint }: Pick<Entry, "state" | "checkpoint">): boolean {
  return state === "in-doubt" && checkpoint?.record === undefined;
}

async function settledProblem(services: TurnServices, device: Register, entry: Entry): Promise<Refusal | undefined> {
  const settled = await settle(services, device, entry, "look-up");
  if (settled.state !== "in-doubt" && settled.state !== "sending") return undefined;
  logDoubt(services, settled);
  return laneStopped(entry, settled.doubt);
}

/**
 * Logs the doubt. For the first minute the server itself tries to end the doubt (journal/responsibility.ts), as `journal explain` states.
 * Then only a person ends the doubt.
 */
function logDoubt({ log, clock }: Pick<TurnServices, "log" | "clock">, entry: Entry): void {
  const { id, register, doubt } = entry;
  if (needsPerson(entry, clock.nowMs())) log.error({ entry: id, register, doubt }, "the lane waits for a person");
  else log.warn({ entry: id, register, doubt }, "the lane waits until the register says what it printed");
}
