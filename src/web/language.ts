export const LANGUAGES = ["ru", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

export type Say = (ru: string, en: string) => string;

/** Returns the function that chooses words in this language. */
export function sayIn(language: Language): Say {
  return language === "ru" ? (ru) => ru : (_ru, en) => en;
}

/**
 * Returns the language of the host's `userLocale` (`ru_RU`, `en_US`). If it is absent or another language, the first language of the
 * browser's `Accept-Language` decides. If that is also absent or another language, the result is Russian.
 */
export function languageOf(userLocale: string | undefined, acceptLanguage: string | undefined): Language {
  for (const text of [userLocale, acceptLanguage]) {
    const found = LANGUAGES.find((language) => text?.trim().toLowerCase().startsWith(language));
    if (found !== undefined) return found;
  }
  return "ru";
}
