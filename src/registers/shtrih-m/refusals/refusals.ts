import type { Refusal, RefusalCode } from "../../../model/refusal.ts";
import { DEVICE_ERRORS } from "./table.ts";

/** What a refused command says: the device's number of chapter 8, and the extended one where it gives any. */
export interface DeviceError {
  error: number;
  extended?: number;
}

/** The device's refusal in words of the trade, its own number and words beside ours. */
export function refusalFrom({ error, extended }: DeviceError, details?: Record<string, string>): Refusal {
  const row = DEVICE_ERRORS.get(error);
  const number = extended === undefined ? hex(error, 2) : `${hex(error, 2)} (${hex(extended, 8)})`;
  const device = { code: number, words: row?.words ?? "Касса не выполнила команду" };
  const code = row?.code ?? "device-refused";
  return details === undefined ? { code, device } : { code, details, device };
}

/** A refusal that the driver itself gives, in the words that a device would use. */
export function refusalOf(code: RefusalCode, words: string): Refusal {
  return { code, device: { code: OWN, words } };
}

/** Nothing reached the device, or nothing came back. */
export function unreachable(reason: string): Refusal {
  return { code: "register-unreachable", details: { reason } };
}

/** Words of an error for a reason that is told to people. */
export function wordsOf(error: number): string {
  return `${DEVICE_ERRORS.get(error)?.words ?? "касса не выполнила команду"}, код ${hex(error, 2)}`;
}

/**
 * Errors in which the drive or the register fails half-way: the answer does not prove that nothing was
 * registered, so the last document's number is asked for.
 */
export function isDoubtful(error: number): boolean {
  return DEVICE_ERRORS.get(error)?.doubtful === true;
}

/** FF0A: the drive has no such document. */
export const NO_SUCH_DATA = 0x08;

/** In place of a device's number, where the driver has refused before the device was asked. */
const OWN = "до отправки";

function hex(value: number, digits: number): string {
  return `${value.toString(16).toUpperCase().padStart(digits, "0")}h`;
}
