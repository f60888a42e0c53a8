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
