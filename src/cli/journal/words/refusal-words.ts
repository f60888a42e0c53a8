import { doubtWords } from "../../../contracts/fiscal/doubt-words.ts";
import { driveWords } from "../../../contracts/fiscal/drive-words.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import type { DayProblem } from "../../../model/correction-limits.ts";
import type { Refusal, RefusalCode } from "../../../model/refusal.ts";
import { TAX_SYSTEMS, type TaxSystem } from "../../../model/tax.ts";
import type { Uncorrectable } from "../../../model/uncorrectable.ts";
import type { RoomProblem } from "../../../operator/corrections/rehearsal-state.ts";
import { dayWords } from "./limit-words.ts";

/** Returns the reason of a refusal, preferably in the register's own words. */
export function refusalWords({ code, device, doubt, details }: Refusal): string {
  const reason = doubt === undefined ? (problemWords(details) ?? driveWords({ code, details })) : doubtWords(doubt);
  const words = device === undefined ? reason : `${device.words} (${device.code})`;
  return words === undefined || words === "" ? code : `${code}: ${words}`;
}

/**
 * Remedies by code. The till needs a running server, but this command needs a stopped server. So a person starts and stops the server in
 * between.
 */
const REMEDIES: Partial<Record<RefusalCode, string>> = {
  "shift-closed":
    "No shift is open. Start the server, open the shift at the till and put in enough cash for an undoing that pays out; then stop the server and say the same again",
  "cash-short":
    "The drawer holds too little cash. Start the server, put in enough cash at the till, in the open shift; then stop the server and say the same again",
};

/** Returns what to do before a refused correction is requested again. */
export function correctionRemedy({ code }: Refusal): string {
  return `${REMEDIES[code] ?? "Remove the cause and say the same again"}: what is registered already is not registered twice.`;
}

type Details = Record<string, string>;

/** Returns the words for the problem in the details. Undefined: the details name no known problem. */
function problemWords(details: Details | undefined): string | undefined {
  const words = details?.problem === undefined ? undefined : (PROBLEMS as Record<string, (details: Details) => string>)[details.problem];
  return details === undefined ? undefined : words?.(details);
}

/** Why a document cannot be corrected as requested, or why the register cannot accept the correction. */
const PROBLEMS: Record<Uncorrectable | RoomProblem, (details: Details) => string> = {
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
  "day-impossible": ({ day, settledOn, today = "" }) => `tag 1178, ${settledOn}: ${dayWords(day as DayProblem, today)}`,
  "tax-system-unregistered": ({ taxSystem }) => `the register was not registered for ${TAX_SYSTEMS[taxSystem as TaxSystem].label}`,
  "drawer-too-empty": ({ missingKopecks }) =>
    `${formatKopecks(Number(missingKopecks))} are missing in the drawer by then: put them in first`,
};
