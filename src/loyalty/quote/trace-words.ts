import { formatKopecks } from "../../kernel/money.ts";
import { formatQuantity } from "../../kernel/quantity.ts";
import type { Why } from "./trace.ts";

export type Language = "ru" | "en";

/** Returns the reason of a rule's result as one line for a person. */
export function traceWords(why: Why, language: Language): string {
  return language === "ru" ? russian(why) : english(why);
}

/** Returns the receipt line about spent points. Undefined: no points spent. */
export function spentWords(points: number, language: Language): string | undefined {
  if (points === 0) return undefined;
  return language === "ru" ? `Списано баллов: ${points}` : `Points used: ${points}`;
}

/** Returns the receipt line about earned points. Undefined: no points earned. */
export function earnedWords(points: number, language: Language): string | undefined {
  if (points === 0) return undefined;
  return language === "ru" ? `Начислено баллов: ${points}` : `Points earned: ${points}`;
}

const RUSSIAN_DAYS = ["понедельник", "вторник", "среда", "четверг", "пятница", "суббота", "воскресенье"];
const ENGLISH_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

function russian(why: Why): string {
  switch (why.code) {
    case "discounted":
      return `скидка в позициях: ${why.lines}`;
    case "multiplied":
      return `баллы × ${hundredths(why.factorHundredths)} в позициях: ${why.lines}`;
    case "added":
      return `добавлено баллов: ${why.points}`;
    case "said":
      return "сообщение показано";
    case "outdone":
      return `выгоднее правило «${why.by}» той же группы`;
    case "no-gain":
      return "цена от этого не ниже";
    case "free":
      return "товары ничего не стоят";
    case "spending":
      return "при списании баллы не начисляются";
    case "store":
      return "другая точка продаж";
    case "not-yet":
      return `действует с ${why.from}`;
    case "over":
      return `действовало по ${why.to}`;
    case "day":
      return `не действует в этот день (${RUSSIAN_DAYS[why.day - 1] ?? why.day})`;
    case "hour":
      return `не действует в это время (${clock(why.minute)})`;
    case "goods":
      return "нет подходящих товаров";
    case "quantity":
      return `нужно количество ${formatQuantity(why.leastMillionths)}, в чеке ${formatQuantity(why.foundMillionths)}`;
    case "set-incomplete":
      return "набор неполный";
    case "total":
      return `нужна сумма ${formatKopecks(why.leastKopecks)}, в чеке ${formatKopecks(why.foundKopecks)}`;
    case "tier":
      return `нужен уровень «${why.wanted}», ${why.has === null ? "уровня нет" : `сейчас «${why.has}»`}`;
    case "first-purchase":
      return why.wanted ? "не первая покупка" : "первая покупка";
    case "birthday":
      return why.daysAway === null ? "день рождения неизвестен" : `до дня рождения дней: ${why.daysAway}, допустимо ${why.withinDays}`;
  }
}

function english(why: Why): string {
  switch (why.code) {
    case "discounted":
      return `discount on lines: ${why.lines}`;
    case "multiplied":
      return `points × ${hundredths(why.factorHundredths)} on lines: ${why.lines}`;
    case "added":
      return `points added: ${why.points}`;
    case "said":
      return "message shown";
    case "outdone":
      return `rule "${why.by}" of the same group is better for the buyer`;
    case "no-gain":
      return "makes nothing cheaper";
    case "free":
      return "its goods cost nothing";
    case "spending":
      return "no points are earned while points are spent";
    case "store":
      return "another point of sale";
    case "not-yet":
      return `begins on ${why.from}`;
    case "over":
      return `ended on ${why.to}`;
    case "day":
      return `not on this day (${ENGLISH_DAYS[why.day - 1] ?? why.day})`;
    case "hour":
      return `not at this hour (${clock(why.minute)})`;
    case "goods":
      return "no such goods on the receipt";
    case "quantity":
      return `needs the quantity ${formatQuantity(why.leastMillionths)}, found ${formatQuantity(why.foundMillionths)}`;
    case "set-incomplete":
      return "the set is not complete";
    case "total":
      return `needs a total of ${formatKopecks(why.leastKopecks)}, found ${formatKopecks(why.foundKopecks)}`;
    case "tier":
      return `needs the tier "${why.wanted}", ${why.has === null ? "the member has none" : `the member has "${why.has}"`}`;
    case "first-purchase":
      return why.wanted ? "not the first purchase" : "the first purchase";
    case "birthday":
      return why.daysAway === null ? "the birthday is not known" : `birthday ${why.daysAway} days away, at most ${why.withinDays}`;
  }
}

function hundredths(value: number): string {
  return formatQuantity(value * 10_000);
}

function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}
