/** Weights of the check digits of a tax number: the last ten are a company's, the eleven and the twelve a person's. */
const WEIGHTS = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

/** Twelve digits, of which the last two check the others. */
export function isPersonalInn(text: string): boolean {
  return /^\d{12}$/.test(text) && withInnCheck(withInnCheck(text.slice(0, 10))) === text;
}

/** The number with its next check digit; a company's is made of nine digits. */
export function withInnCheck(digits: string): string {
  const weights = WEIGHTS.slice(WEIGHTS.length - digits.length);
  const sum = weights.reduce((total, weight, place) => total + weight * Number(digits[place]), 0);
  return digits + String((sum % 11) % 10);
}
