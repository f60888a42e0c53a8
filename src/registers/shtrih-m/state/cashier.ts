import type { Deadline } from "../../../kernel/deadline.ts";
import { lookUp } from "../lookup/lookup.ts";
import type { Opening } from "./opening.ts";
import type { ReadyDevice } from "./ready-device.ts";

/**
 * Returns the opening of the running shift with its cashier, who is read once from the opening report. Undefined: no shift is open, or the
 * report was not found or cannot be read now.
 */
export async function openingCashier({ connection, known, view }: ReadyDevice, deadline: Deadline): Promise<Opening | undefined> {
  const { opening } = view;
  if (opening === undefined || opening.cashier !== undefined) return opening;
  if (opening.reportNumber === undefined) return undefined;
  const found = await lookUp(connection, known.identity, opening.reportNumber, deadline);
  if (found.kind !== "found") return undefined;
  const { cashierName } = found.facts;
  return { ...opening, cashier: cashierName === undefined ? {} : { name: cashierName } };
}
