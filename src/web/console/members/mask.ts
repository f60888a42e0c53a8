/** Returns a name for a list: `Анна И.` */
export function maskedName(name: string): string {
  const [first = "", ...others] = name.trim().split(/\s+/);
  return [first, ...others.map((word) => `${[...word][0]}.`)].join(" ");
}

/** The number of shown digits: enough to distinguish two members, too few to call one of them. */
const SHOWN_DIGITS = 4;

/** Returns a phone for a list: `•••3344`. */
export function maskedPhone(phone: string): string {
  return `•••${phone.slice(-SHOWN_DIGITS)}`;
}
