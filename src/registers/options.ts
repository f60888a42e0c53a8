export interface AddressOption {
  values: readonly string[] | WholeNumbers;
  /** The value when the address does not have the option. Absent: the option then has no value. */
  standard?: string;
  /** Set for passwords, whose values are never shown. */
  secret?: true;
}

interface WholeNumbers {
  least: number;
  most: number;
}

type ReadOptions = { kind: "options"; base: string; options: Map<string, string> } | { kind: "invalid"; problem: string };

/** Whether test and live drives may be mixed at this register (interface 6, Test and live). Every protocol has this option. */
export const DRIVE_OPTION: AddressOption = { values: ["any", "matching"], standard: "matching" };

/** Splits an address at the question mark and validates its options. */
export function readOptions(address: string, known: Record<string, AddressOption>): ReadOptions {
  const mark = address.indexOf("?");
  const base = mark < 0 ? address : address.slice(0, mark);
  const options = new Map<string, string>();
  for (const [name, option] of Object.entries(known)) {
    if (option.standard !== undefined) options.set(name, option.standard);
  }
  for (const [name, value] of new URLSearchParams(mark < 0 ? "" : address.slice(mark + 1))) {
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) return { kind: "invalid", problem: `unknown option "${name}" in ${base}; known options: ${listOf(known)}` };
    if (!takes(option, value)) return { kind: "invalid", problem: `option "${name}" of ${base} is ${wordsOf(option)}` };
    options.set(name, value);
  }
  return { kind: "options", base, options };
}

/** Describes the allowed values. A wrong value is never quoted, because it may be a password. */
function wordsOf({ values }: AddressOption): string {
  return isRange(values) ? `a whole number from ${values.least} to ${values.most}` : `one of ${values.join(", ")}`;
}

function takes({ values }: AddressOption, value: string): boolean {
  if (!isRange(values)) return values.includes(value);
  return /^(0|[1-9]\d{0,9})$/.test(value) && Number(value) >= values.least && Number(value) <= values.most;
}

function isRange(values: AddressOption["values"]): values is WholeNumbers {
  return "least" in values;
}

function listOf(known: Record<string, AddressOption>): string {
  return Object.entries(known)
    .map(([name, { values }]) => `${name}=${isRange(values) ? `${values.least}..${values.most}` : values.join("|")}`)
    .join(", ");
}
