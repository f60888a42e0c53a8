/** Keys in the order of the board, what they type under the Russian layout, and under the Latin one. */
const RUSSIAN = 'йцукенгшщзхъфывапролджэячсмитьбю.ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,"№;:?ёЁ/';
const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,./QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>?@#$^&`~|";

/** Whether a scanner that types as a keyboard may have typed it under the Russian layout. */
export function hasCyrillic(text: string): boolean {
  return /\p{Script=Cyrillic}/u.test(text);
}

/** What the same keys type under the Latin layout; without a Cyrillic letter it was typed under that one. */
export function underLatinLayout(typed: string): string {
  if (!hasCyrillic(typed)) return typed;
  return Array.from(typed, (char) => LATIN[RUSSIAN.indexOf(char)] ?? char).join("");
}
