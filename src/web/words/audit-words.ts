import { type AuditLine, PLATFORM, type ReadAudit } from "../../accounts/audit.ts";
import { SETTING_NAMES, type SettingName, settingNamed } from "../../accounts/settings-schema.ts";
import { ENTRY_STATES } from "../../journal/states.ts";
import { PAYMENT_STATES, REFUND_STATES } from "../../model/payment.ts";
import { roubles, wholeKopecks } from "../amounts.ts";
import { LANGUAGES, type Say, sayIn } from "../language.ts";
import { shownPart } from "../shown-part.ts";
import { installationStateWords } from "./installation-words.ts";
import { stateWords } from "./operation-words.ts";
import { acquirerWords, refundWords, stateOf } from "./payment-words.ts";
import { SETTING_WORDS, valueWords } from "./setting-words.ts";

/** A line of audit in words. Settings have the words of the settings page. */
interface AuditWords {
  what: string;
  /** Undefined: no earlier value. */
  before: string | undefined;
  after: string | undefined;
}

/** Returns the words for an act, and for the values before and after. */
export function auditWords(say: Say, { act, subject, before, after }: Pick<ReadAudit, "act" | "subject" | "before" | "after">): AuditWords {
  const worded = (words: (value: string) => string) => ({
    before: before === undefined ? undefined : words(shownPart(say, before)),
    after: after === undefined ? undefined : words(shownPart(say, after)),
  });
  const setting = act === "setting" ? settingNamed(subject) : undefined;
  if (setting !== undefined) return { what: settingLabel(say, setting), ...worded((value) => settingValue(say, setting, value)) };
  const what = act === "export" ? exportWords(subject) : Object.hasOwn(ACTS, act) ? ACTS[act] : undefined;
  return { what: what === undefined ? `${act} ${subject}` : say(...what), ...worded((value) => actValue(say, act, value)) };
}

const ACTS: Readonly<Record<string, readonly [ru: string, en: string]>> = {
  refund: ["Возврат оплаты по QR", "Refund of a QR payment"],
  grant: ["Баллы участника", "Points of a member"],
  correct: ["Чек исправлен по требованию человека", "A receipt corrected by a person"],
  report: ["Отчёт по требованию человека", "A report ordered by a person"],
  merge: ["Участники объединены", "Members merged"],
  import: ["Участники загружены из файла", "Members imported from a file"],
  "gift-card": ["Подарочный сертификат выпущен", "A gift card was issued"],
  key: ["Ключ программы лояльности заменён", "A new key of the loyalty programme"],
  settle: ["Сомнение решено человеком", "A doubt settled by a person"],
  "leave-out": ["Документ накопителя пропущен по решению человека", "A document of a drive left out by a person"],
  programme: ["Программа лояльности, версия", "Version of the loyalty programme"],
  erase: ["Данные участника стёрты", "A member's data was erased"],
  agent: ["Агент", "Agent"],
  installation: ["Состояние установки", "State of the installation"],
};

/** The console's exportable lists. */
const LISTS: Readonly<Record<string, readonly [ru: string, en: string]>> = {
  operations: ["операции", "operations"],
  payments: ["оплаты по QR", "QR payments"],
  members: ["участники", "members"],
  installations: ["установки", "installations"],
  totals: ["итоги", "totals"],
  audit: ["кто что менял", "audit"],
};

function exportWords(list: string): readonly [ru: string, en: string] {
  const [ru, en] = (Object.hasOwn(LISTS, list) ? LISTS[list] : undefined) ?? [list, list];
  return [`Выгрузка в файл: ${ru}`, `Export to a file: ${en}`];
}

/** Settings with separate forms. `SETTING_WORDS` has no words for them. */
const OWN_FORMS: Partial<Record<SettingName, readonly [ru: string, en: string]>> = {
  register: ["Касса", "Register"],
  acquirer: ["Банк для оплаты по QR", "Acquirer for QR payments"],
};

function settingLabel(say: Say, name: SettingName): string {
  const own = OWN_FORMS[name];
  if (own !== undefined) return say(...own);
  const words = SETTING_WORDS[name];
  return words === undefined ? name : say(words.label.ru, words.label.en);
}

/** Returns the words for the place of an act. The platform acts by its calls to the server. */
export function actorPlaceWords(say: Say, { actor, place }: Pick<AuditLine, "actor" | "place">): string {
  if (actor === PLATFORM.name && place === PLATFORM.place) return say("вызовом платформы", "by a call of the platform");
  const words = Object.hasOwn(PLACES, place) ? PLACES[place] : undefined;
  return words === undefined ? place : say(...words);
}

const PLACES: Readonly<Record<string, readonly [ru: string, en: string]>> = {
  page: ["на странице", "on a page"],
  command: ["командой", "by a command"],
  server: ["сервер сам", "the server itself"],
};

/**
 * Returns the setting that a typed text means: the text is its name, or its label in either language, or a part of its label. Undefined: no
 * setting, or a part of the labels of several settings.
 */
export function settingMeant(text: string): SettingName | undefined {
  const typed = text.toLowerCase();
  const labels = (name: SettingName) => LANGUAGES.map((language) => settingLabel(sayIn(language), name).toLowerCase());
  const exact = SETTING_NAMES.find((name) => name.toLowerCase() === typed || labels(name).includes(typed));
  const [found, another] = SETTING_NAMES.filter((name) => labels(name).some((label) => label.includes(typed)));
  return exact ?? (another === undefined ? found : undefined);
}

function settingValue(say: Say, name: SettingName, value: string): string {
  if (name !== "acquirer") return valueWords(say, name, value);
  const [kind = "", query] = value.split("?", 2);
  return query === undefined ? acquirerWords(say, kind) : `${acquirerWords(say, kind)} (${query})`;
}

/** A value in an unknown form is shown unchanged. */
function actValue(say: Say, act: string, value: string): string {
  if (act === "erase" && value === "erased") return say("стёрты", "erased");
  if (act === "refund") return sumWords(value);
  if (act === "gift-card") return sumWords(value);
  if (act === "correct" || act === "report" || act === "key") {
    const words = Object.hasOwn(VALUES, value) ? VALUES[value] : undefined;
    return words === undefined ? value : say(...words);
  }
  if (act === "agent") return agentValue(say, value);
  if (act === "installation") return installationStateWords(say, value);
  if (act === "import") return importWords(say, value);
  if (act === "export") return exportedWords(say, value);
  return act === "settle" ? settledWords(say, value) : value;
}

const VALUES: Readonly<Record<string, readonly [ru: string, en: string]>> = {
  undo: ["сторнирован чеком коррекции", "undone by a correction receipt"],
  redo: ["верные данные внесены чеком коррекции", "the right data registered by a correction receipt"],
  missed: ["внесён чеком коррекции", "registered by a correction receipt"],
  "x-report": ["X-отчёт", "X report"],
  "state-report": ["отчёт о состоянии расчётов", "report on the state of the settlements"],
  new: ["новый", "new"],
};

function importWords(say: Say, value: string): string {
  const [, rows, points] = /^(\d+) rows, (\d+) points$/.exec(value) ?? [];
  return rows === undefined ? value : say(`строк: ${rows}, баллов: ${points}`, value);
}

function exportedWords(say: Say, value: string): string {
  const [, rows, end] = /^(\d+) rows(|, more|, cut|, broken off)$/.exec(value) ?? [];
  if (rows === undefined) return value;
  return say(`строк: ${rows}${EXPORT_ENDS[end ?? ""] ?? ""}`, value);
}

const EXPORT_ENDS: Readonly<Record<string, string>> = {
  ", more": ", это не все",
  ", cut": ", возможно, неполная",
  ", broken off": ", прервана",
};

function sumWords(value: string): string {
  const kopecks = wholeKopecks(value);
  return kopecks === undefined ? value : roubles(kopecks);
}

/** The value is an act on an agent, or the numbers of the accepted device and drive. */
function agentValue(say: Say, value: string): string {
  const known = Object.hasOwn(AGENT_VALUES, value) ? AGENT_VALUES[value] : undefined;
  if (known !== undefined) return say(...known);
  const [, serialNumber, driveNumber] = /^(\d{1,20}) (\d{1,20})$/.exec(value) ?? [];
  return serialNumber === undefined
    ? value
    : say(`касса № ${serialNumber}, ФН ${driveNumber}`, `device ${serialNumber}, drive ${driveNumber}`);
}

const AGENT_VALUES: Readonly<Record<string, readonly [ru: string, en: string]>> = {
  code: ["выдан код", "a code was made"],
  revoked: ["отозван", "revoked"],
  "copy other": ["подтверждена другая копия", "another copy was accepted"],
  "copy connected": ["подтверждена копия на связи", "the connected copy was accepted"],
};

/** The value is the state of an operation, a payment, or a refund such as `refund 2: person`. */
function settledWords(say: Say, value: string): string {
  const entry = ENTRY_STATES.find((state) => state === value);
  if (entry !== undefined) return stateWords(say, entry);
  const payment = PAYMENT_STATES.find((state) => state === value);
  if (payment !== undefined) return stateOf(say, payment).words;
  const [, number, stored] = /^refund (\d+): (.+)$/.exec(value) ?? [];
  const refund = REFUND_STATES.find((state) => state === stored);
  return refund === undefined
    ? value
    : say(`возврат ${number}: ${refundWords(say, refund)}`, `refund ${number}: ${refundWords(say, refund)}`);
}
