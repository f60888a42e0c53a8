import type { Uncorrectable } from "../../../model/uncorrectable.ts";

type Details = Record<string, string>;

/** Why a document cannot be corrected as it was meant, for the operator; undefined where the details tell of nothing like that. */
export function uncorrectableWords(details: Details | undefined): string | undefined {
  const words = details?.problem === undefined ? undefined : (WORDS as Record<string, (details: Details) => string>)[details.problem];
  return details === undefined ? undefined : words?.(details);
}

const WORDS: Record<Uncorrectable, (details: Details) => string> = {
  "is-correction": () => "чек коррекции оформляется повтором той же команды",
  "not-refused": () => "документ уже пробит или его судьба неизвестна",
  "twin-registered": () => "этот же документ пробит под другим идентификатором",
  "corrected-already": () => "по этому документу уже есть чек коррекции",
  "not-registered": () => "исправляемый документ не пробит",
  "wrong-not-undone": () => "неверный чек ещё не отменён чеком коррекции",
  "undoing-undone": () => "отмена неверного чека сама отменена",
  "stands-in-drive": ({ number }) => `it stands in the drive as ФД ${number}: repeat it, which gets that document`,
  "sign-differs": ({ number, sign, entry }) =>
    `ФД ${number} has ФП ${sign} in the drive, another than entry ${entry} says: settle that anew first`,
};
