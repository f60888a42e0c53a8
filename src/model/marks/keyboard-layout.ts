/** What the same keys type under the Russian layout and, at the same place of the second text, under the Latin layout. */
const RUSSIAN = 'йцукенгшщзхъфывапролджэячсмитьбю.ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,"№;:?ёЁ/';
const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,./QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>?@#$^&`~|";

/** Whether the text has Cyrillic letters. A scanner that acts as a keyboard types them under the Russian layout. */
export function hasCyrillic(text: string): boolean {
  return /\p{Script=Cyrillic}/u.test(text);
}

/** Returns what the same keys type under the Latin layout. A text without Cyrillic letters stays unchanged. */
export function underLatinLayout(typed: string): string {
  if (!hasCyrillic(typed)) return typed;
  return Array.from(typed, (char) => LATIN[RUSSIAN.indexOf(char)] ?? char).join("");
}
