/** A name as a list shows it: `Анна И.` */
export function maskedName(name: string): string {
  const [first = "", ...others] = name.trim().split(/\s+/);
  return [first, ...others.map((word) => `${[...word][0]}.`)].join(" ");
}

/** Digits of a phone that a list shows: enough to tell two members apart, too few to call one. */
const SHOWN_DIGITS = 4;

/** A phone as a list shows it: `•••3344`. */
export function maskedPhone(phone: string): string {
  return `•••${phone.slice(-SHOWN_DIGITS)}`;
}
