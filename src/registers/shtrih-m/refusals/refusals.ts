import type { Refusal, RefusalCode } from "../../../model/refusal.ts";
import { DEVICE_ERRORS } from "./table.ts";

/** The error of a refused command: its number (shtrih-protocol 8), and the extended number of some devices. */
export interface DeviceError {
  error: number;
  extended?: number;
}

/** Converts a device's error to a refusal of the model. Keeps the device's number and words. */
export function refusalFrom({ error, extended }: DeviceError, details?: Record<string, string>): Refusal {
  const row = DEVICE_ERRORS.get(error);
  const number = extended === undefined ? hex(error, 2) : `${hex(error, 2)} (${hex(extended, 8)})`;
  const device = { code: number, words: row?.words ?? "Касса не выполнила команду" };
  const code = row?.code ?? "device-refused";
  return details === undefined ? { code, device } : { code, details, device };
}

/** Returns a refusal that the driver itself decided. `words` stand in the place of a device's words. */
export function refusalOf(code: RefusalCode, words: string): Refusal {
  return { code, device: { code: OWN, words } };
}

/** Returns the refusal of a device that was unreachable or did not answer. */
export function unreachable(reason: string): Refusal {
  return { code: "register-unreachable", details: { reason } };
}

/** Returns an error's words, for a reason that people read. */
export function wordsOf(error: number): string {
  return `${DEVICE_ERRORS.get(error)?.words ?? "касса не выполнила команду"}, код ${hex(error, 2)}`;
}

/**
 * Whether the error may be a failure in the middle of the command. Such an error does not prove that nothing was registered, so the last
 * document's number is read.
 */
export function isDoubtful(error: number): boolean {
  return DEVICE_ERRORS.get(error)?.doubtful === true;
}

/** FF0A: the drive has no such document. */
export const NO_SUCH_DATA = 0x08;

/** Replaces the device's error number when the driver refused before it sent anything. */
const OWN = "до отправки";

function hex(value: number, digits: number): string {
  return `${value.toString(16).toUpperCase().padStart(digits, "0")}h`;
}
