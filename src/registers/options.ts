/** An option of a register's address: the values it takes, and what it is without one. */
export interface AddressOption {
  /** The words it may be, or the range of whole numbers. */
  values: readonly string[] | WholeNumbers;
  /** Absent: the option has no value unless it is given. */
  standard?: string;
}

interface WholeNumbers {
  least: number;
  most: number;
}

type ReadOptions = { kind: "options"; base: string; options: Map<string, string> } | { kind: "invalid"; problem: string };

/** Whether test and live drives may be mixed at this register (interface 6, Test and live); every protocol has it. */
export const DRIVE_OPTION: AddressOption = { values: ["any", "matching"], standard: "matching" };

/** Splits an address into what stands before the question mark and its options; anything unknown is refused with what is known. */
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

/** The wrong value itself is never repeated: it may be a password. */
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
