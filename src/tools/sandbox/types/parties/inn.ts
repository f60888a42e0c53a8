/**
 * Weights of the check digits of a tax number. A company's number has one check digit, which uses the last nine weights. A person's number
 * has two check digits: the first uses the last ten weights, the second uses all eleven.
 */
const WEIGHTS = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

/** Whether the text is a person's tax number: twelve digits, of which the last two are check digits. */
export function isPersonalInn(text: string): boolean {
  return /^\d{12}$/.test(text) && withInnCheck(withInnCheck(text.slice(0, 10))) === text;
}

/** Returns the number with its next check digit. A company's number begins with nine digits. */
export function withInnCheck(digits: string): string {
  const weights = WEIGHTS.slice(WEIGHTS.length - digits.length);
  const sum = weights.reduce((total, weight, place) => total + weight * Number(digits[place]), 0);
  return digits + String((sum % 11) % 10);
}
