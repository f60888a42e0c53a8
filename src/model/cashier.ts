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
 * Returns a name such as `Иванова М.П.`. Undefined when the platform names nobody; the document then shows the cashier who opened the
 * shift. The captions of the public documents swap middle and last name, but their samples do not. This code follows the samples
 * (platform-contracts 4.5).
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
