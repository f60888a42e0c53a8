export interface AddressOption {
  values: readonly string[] | WholeNumbers;
  /** The value of the option when the address does not contain it. Absent: the option then has no value. */
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

/** Splits an address at the question mark and validates its options. Adds the `standard` values of options that are absent. */
export function readOptions(address: string, known: Record<string, AddressOption>): ReadOptions {
  const mark = address.indexOf("?");
  const base = mark < 0 ? address : address.slice(0, mark);
  const options = new Map<string, string>();
  for (const [name, option] of Object.entries(known)) {
    if (option.standard !== undefined) options.set(name, option.standard);
  }
  let before: AddressOption | undefined;
  for (const [name, value] of new URLSearchParams(mark < 0 ? "" : address.slice(mark + 1))) {
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) {
      const which = before?.secret === true || !NAME.test(name) ? "an unknown option" : `unknown option "${name}"`;
      return { kind: "invalid", problem: `${which} in ${quotable(base)}; known options: ${listOf(known)}` };
    }
    if (!takes(option, value)) return { kind: "invalid", problem: `option "${name}" of ${quotable(base)} is ${wordsOf(option)}` };
    options.set(name, value);
    before = option;
  }
  return { kind: "options", base, options };
}

/** Only an unknown option of these characters is quoted. Any other may be a part of a password that contains `&`. */
const NAME = /^[A-Za-z]{1,32}$/;
/** The characters of hosts, ports, files and names. */
const PLACE = /^[A-Za-z0-9._:/[\]-]{0,80}/;

/**
 * Returns the part of an address that a problem may quote. When a user has forgotten the question mark, the rest may contain a password.
 */
export function quotable(base: string): string {
  const [place = ""] = PLACE.exec(base) ?? [];
  return place.length === base.length ? place : `${place}…`;
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
