/** An option of a register's address: the values it takes, and what it is without one. */
export interface AddressOption {
  values: readonly string[];
  /** Absent: the option has no value unless it is given. */
  standard?: string;
}

export type ReadOptions = { kind: "options"; base: string; options: Map<string, string> } | { kind: "invalid"; problem: string };

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
    if (!option.values.includes(value)) {
      return { kind: "invalid", problem: `option "${name}" of ${base} is one of ${option.values.join(", ")}` };
    }
    options.set(name, value);
  }
  return { kind: "options", base, options };
}

function listOf(known: Record<string, AddressOption>): string {
  return Object.entries(known)
    .map(([name, { values }]) => `${name}=${values.join("|")}`)
    .join(", ");
}
