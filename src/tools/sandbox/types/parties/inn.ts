/**
 * Weights of a tax number's check digits. A company's one check digit uses the last nine weights. A person's first check digit uses the
 * last ten weights, the second uses all eleven.
 */
const WEIGHTS = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

/** Whether the text is a person's tax number: twelve digits, with two check digits at the end. */
export function isPersonalInn(text: string): boolean {
  return /^\d{12}$/.test(text) && withInnCheck(withInnCheck(text.slice(0, 10))) === text;
}

/** Appends the next check digit to nine digits of a company's number, or to ten or eleven digits of a person's number. */
export function withInnCheck(digits: string): string {
  const weights = WEIGHTS.slice(WEIGHTS.length - digits.length);
  const sum = weights.reduce((total, weight, place) => total + weight * Number(digits[place]), 0);
  return digits + String((sum % 11) % 10);
}
