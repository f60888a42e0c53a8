import { doubtWords } from "../../../contracts/fiscal/doubt-words.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import { formatQuantity } from "../../../kernel/quantity.ts";
import type { Doubt } from "../../../model/doubt.ts";
import type { Reason, TakenBack } from "../../../model/reason.ts";
import type { Excess } from "../../../model/returned.ts";
import { unreadPlaces } from "../../../model/unread-marks.ts";

/** Returns the reasons of a move, for the operator. Empty for a move without reasons. */
export function reasonWords(reasons: readonly Reason[]): string {
  return reasons.map(wordsOf).join("; ");
}

function wordsOf(reason: Reason): string {
  return (WORDS[reason.code] as (reason: Reason) => string)(reason);
}

const WORDS: { [Code in Reason["code"]]: (reason: Extract<Reason, { code: Code }>) => string } = {
  doubt: ({ doubt }) => doubtText(doubt),
  refused: ({ refusal: { code, parameter, device } }) =>
    [code, parameter, device === undefined ? undefined : `${device.code} ${device.words}`].filter((part) => part !== undefined).join("; "),
  "nothing-made": () => "the register made no document after the checkpoint",
  "shift-adopted": ({ number }) => `adopted the shift that document ${number} had opened at the device`,
  "report-found": ({ number }) => `took document ${number}, which the drive had of the shift: nothing was sent`,
  "attempt-found": () => "an earlier attempt, settled as not registered, stands in the drive",
  "restored-from-drive": () => "the drive had it and the journal did not, as after an older copy of the database was restored",
  "marks-unread": ({ marks }) => `marks that could not be read, in positions ${unreadPlaces(marks)}`,
  "returned-more": ({ sale, excesses, unsure }) =>
    `gives back more than sale entry ${sale} has sold: ${excesses.map(excessWords).join("; ")}${unsureWords(unsure)}`,
  confirmed: () => "confirmed by the register",
  unconfirmed: () => "not confirmed by the register",
  said: ({ words }) => words,
  "other-sum": ({ totalKopecks }) => `registered with another sum than was sent: ${formatKopecks(totalKopecks)}`,
  "taken-back": ({ was }) => `taken back: ${takenBackWords(was)}`,
  "words-only": ({ words }) => wordsOnly(words),
};

/** Returns why the outcome is unknown, for the operator. */
export function doubtText(doubt: Doubt): string {
  return doubt.code === "words-only" ? wordsOnly(doubt.words) : doubtWords(doubt);
}

/** Returns an earlier version's words, marked as such: the program draws no conclusion from them. */
function wordsOnly(words: string): string {
  return words === "" ? "" : `${words} (in words of an earlier version)`;
}

function excessWords(excess: Excess): string {
  switch (excess.kind) {
    case "nothing-sold":
      return "nothing stands of that sale, it was not registered or has been undone";
    case "goods":
      return `position ${excess.position} «${excess.name}» is not among its goods`;
    case "quantity":
      return `position ${excess.position} «${excess.name}», ${formatQuantity(excess.returned)} returned in all, ${formatQuantity(excess.sold)} sold`;
    case "sum":
      return `position ${excess.position} «${excess.name}», ${formatKopecks(excess.returned)} returned in all, ${formatKopecks(excess.sold)} sold`;
    case "total":
      return `${formatKopecks(excess.returned)} returned in all, ${formatKopecks(excess.sold)} sold`;
  }
}

function unsureWords(unsure: readonly number[]): string {
  return unsure.length === 0 ? "" : `; counted with entry ${unsure.join(", ")}, of which nobody knows yet whether it was registered`;
}

function takenBackWords(was: TakenBack): string {
  if (was.kind === "refused") return was.refusal ?? "refused";
  const number = was.documentNumber === undefined ? "" : `ФД ${was.documentNumber} ФП ${was.fiscalSign}, `;
  return `${number}shift ${was.shiftNumber}, ${was.time}`;
}
