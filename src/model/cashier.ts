import { printable } from "./texts/printable.ts";

/** The person at the till, as the platform names them. */
export interface Cashier {
  id?: string;
  firstName?: string;
  middleName?: string;
  lastName?: string;
}

/** The largest number of characters of tag 1021. */
const MAX_CASHIER_LENGTH = 64;

/**
 * Returns a name such as `Иванова М.П.`, or the first and middle name in full if there is no last name. Undefined when no name is left. The
 * descriptions of the fields in the platform's public documents swap middle and last name, but the samples do not. This code follows the
 * samples (platform-contracts 4.5).
 */
export function cashierNameOf(cashier: Cashier | undefined): string | undefined {
  if (cashier === undefined) return undefined;
  const [last, first, middle] = [cashier.lastName, cashier.firstName, cashier.middleName].map((name) => name?.trim() ?? "");
  const name = last ? [last, initial(first) + initial(middle)].join(" ") : [first, middle].filter(Boolean).join(" ");
  const text = printable(name, MAX_CASHIER_LENGTH);
  return text === "" ? undefined : text;
}

function initial(name: string | undefined): string {
  const [letter] = name ?? "";
  return letter === undefined ? "" : `${letter.toUpperCase()}.`;
}
