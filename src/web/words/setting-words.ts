import type { SettingName } from "../../accounts/settings-schema.ts";
import type { Say } from "../language.ts";

interface Words {
  ru: string;
  en: string;
}

interface SettingWords {
  label: Words;
  /** The effect of the value, or the accepted values. */
  hint: Words;
  group: SettingGroup;
  values?: Readonly<Record<string, Words>>;
}

export const SETTING_GROUPS = ["receipt", "work", "qr", "account"] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];

export const GROUP_WORDS: Readonly<Record<SettingGroup, Words>> = {
  receipt: { ru: "Чек", en: "Receipt" },
  work: { ru: "Работа кассы", en: "Work of the register" },
  qr: { ru: "Оплата по QR", en: "QR payment" },
  account: { ru: "Вся организация", en: "Whole account" },
};

const words = (ru: string, en: string): Words => ({ ru, en });

/** A setting without words is shown by its name and its schema's description. */
export const SETTING_WORDS: Partial<Record<SettingName, SettingWords>> = {
  taxSystem: {
    group: "receipt",
    label: words("Система налогообложения", "Tax system"),
    hint: words("Печатается в чеке. Важнее того, что указано у точки продаж.", "Printed on the receipt. Stands above the platform's."),
    values: {
      osn: words("ОСН", "General (ОСН)"),
      "usn-income": words("УСН доход", "Simplified, income (УСН)"),
      "usn-income-expense": words("УСН доход минус расход", "Simplified, income less expense (УСН)"),
      eshn: words("ЕСХН", "Agricultural (ЕСХН)"),
      patent: words("Патент", "Patent"),
    },
  },
  vatPayer: {
    group: "receipt",
    label: words("Платит НДС", "Pays VAT"),
    hint: words("«Нет» печатает каждую строку без НДС, что бы ни прислала платформа.", "“No” prints every line without VAT."),
    values: { yes: words("Да", "Yes"), no: words("Нет", "No"), true: words("Да", "Yes"), false: words("Нет", "No") },
  },
  itemKind: {
    group: "receipt",
    label: words("Что продаётся", "What is sold"),
    hint: words("Для позиций, в карточке которых вид не указан.", "For positions whose card tells no kind."),
    values: {
      goods: words("Товар", "Goods"),
      excisable: words("Подакцизный товар", "Excisable goods"),
      work: words("Работа", "Work"),
      service: words("Услуга", "Service"),
      results: words("Результаты интеллектуальной деятельности", "Results of intellectual work"),
      composite: words("Составной предмет расчёта", "Composite"),
      other: words("Иной предмет расчёта", "Other"),
    },
  },
  paper: {
    group: "receipt",
    label: words("Бумага чека", "Paper of the receipt"),
    hint: words("Для чека, который печатает касса платформы.", "For the receipt that the platform's till prints."),
    values: { "58": words("Лента 58 мм", "Roll, 58 mm"), "80": words("Лента 80 мм", "Roll, 80 mm"), a4: words("Лист А4", "A4 sheet") },
  },
  address: {
    group: "receipt",
    label: words("Адрес расчётов", "Address of settlement"),
    hint: words(
      "Пусто: адрес, указанный при регистрации кассы. До 256 знаков.",
      "Empty: as the register was registered. Up to 256 characters.",
    ),
  },
  place: {
    group: "receipt",
    label: words("Место расчётов", "Place of settlement"),
    hint: words(
      "Например, «Магазин у метро». Пусто: как при регистрации кассы. До 256 знаков.",
      "Such as the shop's name. Up to 256 characters.",
    ),
  },
  senderEmail: {
    group: "receipt",
    label: words("Почта отправителя чека", "Sender's e-mail"),
    hint: words("Адрес, с которого покупатель получает чек, например kassa@shop.example.", "Such as till@shop.example."),
  },
  buyerContact: {
    group: "receipt",
    label: words("Куда слать чек", "Where the receipt goes"),
    hint: words("Если у покупателя есть и почта, и телефон.", "When the buyer has both."),
    values: { email: words("На почту", "E-mail"), phone: words("На телефон", "Phone"), none: words("Не слать", "Nowhere") },
  },
  timeZone: {
    group: "work",
    label: words("Часовой пояс", "Time zone"),
    hint: words("Название пояса, например Europe/Moscow или Asia/Omsk.", "Name of a zone, such as Europe/Moscow."),
  },
  shiftOpening: {
    group: "work",
    label: words("Кто открывает смену", "Who opens the shift"),
    hint: words("Платформа отдельной командой или первый чек сам.", "The platform by its own request, or the first sale."),
    values: { platform: words("Платформа", "The platform"), automatic: words("Первый чек", "The first sale") },
  },
  markPolicy: {
    group: "work",
    label: words("Продажа маркированного товара", "Sale of marked goods"),
    hint: words("Какой результат проверки кода разрешает продажу.", "Which result of the check allows the sale."),
    values: {
      "checked-correct": words("Только проверенный и верный код", "Only a checked and correct code"),
      "correct-or-unverifiable": words("Верный или не проверяемый код", "A correct code, or one that cannot be verified"),
      checked: words("Любой проверенный код", "Any checked code"),
      all: words("Любой код, даже нечитаемый", "Any code, also an unreadable one"),
    },
  },
  alertEmail: {
    group: "work",
    label: words("Куда сообщать о неполадках", "Who is told of troubles"),
    hint: words(
      "Почта владельца, например vladelec@shop.example. Письмо придёт, когда касса или оплата требует внимания, и когда всё прошло. Пусто: не сообщать.",
      "The owner's e-mail. A letter comes when a register or a payment needs a person, and when it is over. Empty: nobody is told.",
    ),
  },
  qrExpiryMinutes: {
    group: "qr",
    label: words("Сколько минут действует QR-код", "Minutes for which a QR code can be paid"),
    hint: words("Целое число от 1 до 60.", "A whole number from 1 to 60."),
  },
  qrDescription: {
    group: "qr",
    label: words("Назначение платежа", "Description of the payment"),
    hint: words(
      "Видит покупатель в банке. {store} — точка продаж, {receipt} — чек. Без данных покупателя, до 140 знаков.",
      "{store} and {receipt} stand for the point of sale and the receipt. No data of buyers, up to 140 characters.",
    ),
  },
  lateMoney: {
    group: "qr",
    label: words("Деньги пришли после отказа", "Money that comes after a rejection"),
    hint: words("Вернуть покупателю сразу или ждать решения человека.", "Goes back at once, or waits for a person."),
    values: { refund: words("Вернуть сразу", "Goes back"), person: words("Решает человек", "A person decides") },
  },
  loyalty: {
    group: "account",
    label: words("Программа лояльности", "Loyalty programme"),
    hint: words("Подключает кассы к программе этого сервера.", "Connects the tills to this server's programme."),
    values: { on: words("Включена", "On"), off: words("Выключена", "Off") },
  },
  signatureScheme: {
    group: "account",
    label: words("Подпись запросов платформы", "Signature of the platform's requests"),
    hint: words("Меняйте, только если так сказала поддержка.", "Change it only when support has told you to."),
  },
};

/** Returns the words for a value of a setting. An unknown value stays unchanged. */
export function valueWords(say: Say, name: SettingName, value: string): string {
  const values = SETTING_WORDS[name]?.values ?? {};
  const words = Object.hasOwn(values, value) ? values[value] : undefined;
  return words === undefined ? value : say(words.ru, words.en);
}
