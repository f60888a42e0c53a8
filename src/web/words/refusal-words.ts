import type { Refusal, RefusalCode } from "../../model/refusal.ts";
import type { Say } from "../language.ts";
import { shownPart } from "../shown-part.ts";

/** Returns why nothing was registered, for a person at a page. The cashier reads the words of the till's contract. */
export function refusalWords(say: Say, { code, device }: Refusal): string {
  const words = WORDS[code];
  const said = device === undefined ? "" : sentence(shownPart(say, device.words));
  const told = device === undefined ? "" : say(` Касса сообщила: ${said}`, ` The register says: ${said}`);
  return `${words === undefined ? say("Ничего не пробито.", "Nothing was registered.") : say(...words)}${told}`;
}

/** Adds a full stop, because a device's words often end without one. */
function sentence(words: string): string {
  return /[.!?…]$/.test(words.trimEnd()) ? words : `${words.trimEnd()}.`;
}

const WORDS: Partial<Record<RefusalCode, readonly [ru: string, en: string]>> = {
  "register-missing": ["У точки продаж нет кассы: выберите её выше.", "The point of sale has no register: choose one above."],
  "register-unreachable": ["Нет связи с кассой: проверьте питание и кабель.", "The register does not answer: check power and cable."],
  "no-paper": ["В кассе нет бумаги.", "There is no paper."],
  "shift-closed": ["Смена закрыта: её открывает кассир или первый чек, если так настроено.", "The shift is closed."],
  "shift-expired": ["Смена открыта больше 24 часов: закройте её.", "The shift is open for more than 24 hours: close it."],
  "shift-already-open": ["Смена уже открыта.", "The shift is open already."],
  "shift-conflict": ["На кассе открыта другая смена.", "Another shift is open at the register."],
  "shift-foreign": ["Смену на кассе открыла другая организация.", "The shift belongs to another account."],
  "vat-rate": ["Ставка НДС не подходит к системе налогообложения.", "The VAT rate does not go with the tax system."],
  "vat-seller": ["Продавец не платит НДС: проверьте настройку «Платит НДС».", "The seller pays no VAT: check the setting."],
  "payments-differ": ["Сумма оплат не равна сумме чека.", "The payments differ from the sum of the receipt."],
  "mark-unreadable": ["Код маркировки не читается.", "The marking code cannot be read."],
  "mark-denied": ["Код маркировки не прошёл проверку.", "The marking code was denied."],
  "operator-queue-blocked": ["Документы слишком долго не уходят в ОФД.", "Documents have waited too long for the data operator."],
  "drive-exhausted": ["Накопитель исчерпан: его надо заменить.", "The drive is used up: replace it."],
  "drive-kind-mixed": [
    "Накопитель отладочный, а установка боевая, или наоборот.",
    "The drive is for tests and the installation is live, or the reverse.",
  ],
  "lane-stopped": ["Касса ждёт решения по предыдущему документу.", "The register waits for a decision on an earlier document."],
  "cash-short": ["В денежном ящике меньше, чем нужно выдать.", "The drawer holds less than is to be paid out."],
  "registered-in-other-drive": [
    "Документ уже пробит, но в накопителе, которого в кассе больше нет.",
    "It is registered, in a drive that is no longer in the register.",
  ],
  "clock-wrong": ["Часы кассы показывают неверное время.", "The register's clock is wrong."],
};
