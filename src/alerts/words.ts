import { formatKopecks } from "../kernel/money.ts";
import { ALERT_KINDS, type AlertKind, type Audience, type Condition } from "./condition.ts";

interface Named {
  audience: Audience;
  /** The name of the point of sale at the platform. Absent: unknown. */
  shop?: string;
  /** The public address of this server. Absent: there is none. */
  publicUrl?: string;
}

export interface Words {
  ru: string;
  en: string;
}

/** The longest shown name of a shop or document. A longer name is cut. */
const LONGEST_NAME = 100;

/**
 * Returns the two messages of a condition, in Russian with English below. A message's first line is also the e-mail's subject. Both
 * messages name the shop and the register, if they are known, and `begins` says what to do. They contain no data of buyers.
 */
export function messagesOf(condition: Condition, named: Named): { begins: string; ends: string } {
  const title = TITLES[condition.kind];
  const shop = shopOf(condition, named);
  const ofRegister = registerOf(condition);
  const fact = factOf(condition);
  const remedy = remedyOf(condition, named);
  const ru = [`${title.ru}${shop.ru}`, ...ofRegister.ru, ...fact.ru, `Что делать: ${remedy.ru}`];
  const en = [`${title.en}${shop.en}`, ...ofRegister.en, ...fact.en, `What to do: ${remedy.en}`];
  const over = {
    ru: [`Закончилось: ${title.ru}${shop.ru}`, ...ofRegister.ru, "Больше ничего делать не нужно."],
    en: [`Over: ${title.en}${shop.en}`, ...ofRegister.en, "Nothing more is to be done."],
  };
  return { begins: bothOf(ru, en), ends: bothOf(over.ru, over.en) };
}

/** Returns the title of a kind of condition. A kind unknown to this version is its own title. */
export function titleOf(kind: string): Words {
  const known = ALERT_KINDS.find((one) => one === kind);
  return known === undefined ? { ru: kind, en: kind } : TITLES[known];
}

/** Returns the first line of a message, as the e-mail's subject. */
export function subjectOf(text: string): string {
  return oneLine(text.slice(0, text.indexOf("\n")));
}

/** Returns the text in one line, at most 200 characters. Controls, line ends and marks of writing direction become blanks. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ")
    .trim()
    .slice(0, 2 * LONGEST_NAME)
    .toWellFormed();
}

const TITLES: Readonly<Record<AlertKind, Words>> = {
  doubt: { ru: "Неизвестно, пробит ли документ", en: "Unknown whether a document was registered" },
  "lane-stopped": { ru: "Касса остановилась", en: "A register has stopped" },
  "drive-30-days": { ru: "Фискальный накопитель закончится меньше чем через 30 дней", en: "A fiscal drive ends within 30 days" },
  "drive-3-days": { ru: "Фискальный накопитель закончится меньше чем через 3 дня", en: "A fiscal drive ends within 3 days" },
  "operator-queue": { ru: "Чеки не доходят до ОФД", en: "Documents do not reach the fiscal data operator" },
  "late-money": { ru: "Деньги пришли после отказа", en: "Money came after a payment was rejected" },
  "paid-without-receipt": { ru: "Оплачено, а чека нет", en: "Paid without a receipt" },
  "payment-doubt": { ru: "Неизвестно, оплачено ли", en: "Unknown whether a payment was made" },
};

function shopOf({ place }: Condition, { shop }: Named): Words {
  if (shop !== undefined && oneLine(shop) !== "") {
    const name = oneLine(shop).slice(0, LONGEST_NAME).toWellFormed();
    return { ru: `: «${name}»`, en: `: “${name}”` };
  }
  const id = place?.storeId;
  return id === undefined ? { ru: "", en: "" } : { ru: `: точка продаж ${oneLine(id)}`, en: `: point of sale ${oneLine(id)}` };
}

interface Lines {
  ru: string[];
  en: string[];
}

function registerOf({ register }: Condition): Lines {
  if (register === undefined) return { ru: [], en: [] };
  return { ru: [`Касса: ${oneLine(register)}`], en: [`Register: ${oneLine(register)}`] };
}

function factOf({ details }: Condition): Lines {
  switch (details.about) {
    case "operation": {
      const name = oneLine(details.name).slice(0, LONGEST_NAME).toWellFormed();
      return {
        ru: [`Документ № ${name}: связь с кассой прервалась, и касса не говорит, чем он закончился.`],
        en: [`Document no. ${name}: the line to the register broke, and the register does not tell how it ended.`],
      };
    }
    case "lane":
      return {
        ru: [`Ждут операций: ${details.waiting}. Пока причина не устранена, касса ничего не пробивает.`],
        en: [`Operations that wait: ${details.waiting}. Nothing is registered until the cause is removed.`],
      };
    case "drive":
      return details.daysLeft === undefined
        ? { ru: [], en: [] }
        : {
            ru: [`Осталось полных дней: ${details.daysLeft}. После этого чеки не пробиваются.`],
            en: [`Whole days left: ${details.daysLeft}. After them no document is registered.`],
          };
    case "queue":
      return queueFact(details);
    case "payment":
      return {
        ru: [`Оплата по QR на ${formatKopecks(details.amountKopecks)} руб., номер ${details.id}.`],
        en: [`QR payment of ${formatKopecks(details.amountKopecks)} roubles, id ${details.id}.`],
      };
  }
}

function queueFact({ days, unsent }: { days?: number; unsent?: number }): Lines {
  const ru = [...(unsent === undefined ? [] : [`не передано документов: ${unsent}`]), ...(days === undefined ? [] : [`дней: ${days}`])];
  const en = [...(unsent === undefined ? [] : [`documents not sent: ${unsent}`]), ...(days === undefined ? [] : [`days: ${days}`])];
  return {
    ru: [`${upper([...ru, "через 30 дней касса перестанет пробивать чеки"].join(", "))}.`],
    en: [`${upper([...en, "after 30 days the register stops making documents"].join(", "))}.`],
  };
}

function remedyOf({ kind, details }: Condition, { audience, publicUrl }: Named): Words {
  if (audience === "owner") return OWNER_REMEDIES[kind];
  const id = "id" in details ? details.id : undefined;
  const page = publicUrl === undefined || id === undefined ? undefined : `${publicUrl}/console/${pageOf(details.about)}/${id}`;
  const { ru, en } = operatorRemedy(kind, id);
  return page === undefined ? { ru, en } : { ru: `${ru}\n${page}`, en: `${en}\n${page}` };
}

function pageOf(about: Condition["details"]["about"]): string {
  return about === "operation" ? "operations" : "payments";
}

function operatorRemedy(kind: AlertKind, id: string | number | undefined): Words {
  const shown = `npm run cli -- payments show ${id}`;
  switch (kind) {
    case "doubt":
      return {
        ru: `посмотрите чек на кассе и решите операцию в консоли или командой, которую покажет npm run cli -- journal explain ${id}`,
        en: `look at the register's paper and settle the operation in the console or by the command that npm run cli -- journal explain ${id} shows`,
      };
    case "lane-stopped":
      return {
        ru: "проверьте, что касса включена и на связи, и решите в консоли операции, исход которых неизвестен",
        en: "see that the register is on and can be reached, and settle in the console the operations whose end is unknown",
      };
    case "drive-30-days":
    case "drive-3-days":
    case "operator-queue":
      return OWNER_REMEDIES[kind];
    case "late-money":
      return {
        ru: `убедитесь, что деньги возвращаются, или верните их: консоль, ${shown}`,
        en: `see that the money goes back, or return it: the console, ${shown}`,
      };
    case "paid-without-receipt":
      return {
        ru: `узнайте на кассе, отдан ли товар; пробейте чек или верните деньги: консоль, ${shown}`,
        en: `ask at the till whether the goods are gone; register the sale or return the money: the console, ${shown}`,
      };
    case "payment-doubt":
      return {
        ru: `посмотрите оплату в кабинете банка и решите: npm run cli -- payments settle ${id} paid|not-paid --reason ПРИЧИНА`,
        en: `look at the payment in the bank's cabinet and settle it: npm run cli -- payments settle ${id} paid|not-paid --reason TEXT`,
      };
  }
}

const SUPPORT: Words = {
  ru: "сообщите тому, кто обслуживает кассы",
  en: "tell whoever looks after the registers",
};

const OWNER_REMEDIES: Readonly<Record<AlertKind, Words>> = {
  doubt: {
    ru: `посмотрите, вышел ли чек на кассе, и ${SUPPORT.ru}; второй раз чек не пробивайте`,
    en: `see whether the register has printed it, and ${SUPPORT.en}; do not register it again`,
  },
  "lane-stopped": {
    ru: `проверьте, что касса включена, в ней есть бумага и она на связи; не помогло — ${SUPPORT.ru}`,
    en: `see that the register is on, has paper and can be reached; if that does not help, ${SUPPORT.en}`,
  },
  "drive-30-days": {
    ru: "закажите новый накопитель и день для замены",
    en: "order another drive and a day for replacing it",
  },
  "drive-3-days": {
    ru: "замените накопитель до этого дня, иначе торговать будет нельзя",
    en: "replace the drive before that day, or nothing can be sold",
  },
  "operator-queue": {
    ru: "проверьте интернет у кассы, настройки ОФД и договор с ОФД",
    en: "check the register's network, its operator's address, and the contract with the operator",
  },
  "late-money": {
    ru: `посмотрите в настройках приложения, в разделе оплат, возвращены ли деньги; если нет — ${SUPPORT.ru}`,
    en: `see among the payments in the application's settings whether the money went back; if not, ${SUPPORT.en}`,
  },
  "paid-without-receipt": {
    ru: "если товар отдан, пробейте чек на эту сумму; если нет, верните деньги в настройках приложения",
    en: "if the goods are gone, register the sale; if not, return the money in the application's settings",
  },
  "payment-doubt": {
    ru: `посмотрите оплату в кабинете банка и ${SUPPORT.ru}`,
    en: `look at the payment in the bank's cabinet and ${SUPPORT.en}`,
  },
};

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function bothOf(ru: readonly string[], en: readonly string[]): string {
  return `${ru.join("\n")}\n\n${en.join("\n")}\n`;
}
