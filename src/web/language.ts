/** Languages of the pages. */
export const LANGUAGES = ["ru", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Chooses between the Russian and the English words. */
export type Say = (ru: string, en: string) => string;

export function sayIn(language: Language): Say {
  return language === "ru" ? (ru) => ru : (_ru, en) => en;
}

/** The language by the host's `userLocale` (`ru_RU`, `en_US`), else by the browser's list, else Russian. */
export function languageOf(userLocale: string | undefined, acceptLanguage: string | undefined): Language {
  for (const text of [userLocale, acceptLanguage]) {
    const found = LANGUAGES.find((language) => text?.trim().toLowerCase().startsWith(language));
    if (found !== undefined) return found;
  }
  return "ru";
}

/** `1 чек`, `2 чека`, `5 чеков`: `forms` are the Russian words for one, two and five. */
export function russianCount(number: number, forms: readonly [string, string, string]): string {
  const [one, two, five] = forms;
  const [tens, units] = [number % 100, number % 10];
  const word = tens >= 11 && tens <= 14 ? five : units === 1 ? one : units >= 2 && units <= 4 ? two : five;
  return `${number} ${word}`;
}
