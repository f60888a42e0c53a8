import type { Concern, ConcernAbout } from "../../model/concerns.ts";
import type { Say } from "../language.ts";

/** Returns the words for a scheme of register addresses. An unknown scheme stays unchanged. */
export function schemeWords(say: Say, scheme: string): string {
  switch (scheme) {
    case "agent":
      return say("Касса в магазине, за агентом", "Register in the shop, behind an agent");
    case "emulator":
      return say("Учебная касса (эмулятор)", "Training register (emulator)");
    case "shtrih-m+tcp":
      return say("Штрих-М по сети", "Shtrih-M over the network");
    case "shtrih-m+serial":
      return say("Штрих-М по кабелю (USB или COM)", "Shtrih-M by cable (USB or COM)");
    default:
      return scheme;
  }
}

/** Returns the words for an option of a register address. An unknown option stays unchanged. */
export function optionWords(say: Say, option: string): string {
  const known: Record<string, string> = {
    protocol: say("Версия протокола", "Version of the protocol"),
    operatorPassword: say("Пароль кассира", "Cashier's password"),
    systemPassword: say("Пароль системного администратора", "System administrator's password"),
    timeoutMs: say("Ожидание ответа, мс", "Wait for an answer, ms"),
    print: say("Печать на кассе", "Printing at the register"),
    drive: say("Какой накопитель допустим", "Which drive is allowed"),
    baud: say("Скорость порта", "Speed of the port"),
  };
  return known[option] ?? option;
}

/** Returns the words for a value of an option. An unknown value stays unchanged. */
export function optionValueWords(say: Say, option: string, value: string): string {
  const known: Record<string, string> = {
    "protocol auto": say("Определять самой", "Find out"),
    "print paper": say("Печатать", "Print"),
    "print none": say("Не печатать", "Do not print"),
    "drive matching": say("Подходящий этой установке", "One that fits this installation"),
    "drive any": say("Любой, и отладочный, и боевой", "Any, for tests or live"),
  };
  return known[`${option} ${value}`] ?? value;
}

/** Returns the problem of a register and what to do. */
export function concernWords(say: Say, concern: Concern): { what: string; todo: string } {
  const now = concern.weight === "stops-now";
  return CONCERN_WORDS[concern.about](say, now);
}

type Made = (say: Say, now: boolean) => { what: string; todo: string };

const CONCERN_WORDS: Record<ConcernAbout, Made> = {
  "drive-keys": (say, now) => ({
    what: now
      ? say("Срок ключей накопителя истёк", "The keys of the drive have ended")
      : say("Срок ключей накопителя подходит к концу", "The keys of the drive end soon"),
    todo: now
      ? say("Замените накопитель.", "Replace the drive.")
      : say("Закажите новый накопитель и день замены.", "Order another drive and a day for replacing it."),
  }),
  "drive-memory": (say, now) => ({
    what: now
      ? say("Память накопителя заполнена", "The memory of the drive is full")
      : say("Память накопителя заканчивается", "The memory of the drive is nearly full"),
    todo: say("Замените накопитель.", "Replace the drive."),
  }),
  queue: (say, now) => ({
    what: now
      ? say("ОФД давно не получает документы: чеки остановлены", "The data operator gets no documents: receipts have stopped")
      : say("Документы ждут отправки в ОФД", "Documents wait for the data operator"),
    todo: say("Проверьте интернет у кассы и договор с ОФД.", "Check the register's network and the contract with the operator."),
  }),
  shift: (say, now) => ({
    what: now
      ? say("Смена открыта больше 24 часов", "The shift is open for more than 24 hours")
      : say("Смене скоро 24 часа", "The shift will soon be open for 24 hours"),
    todo: say("Закройте смену.", "Close the shift."),
  }),
  clock: (say) => ({
    what: say("Часы кассы расходятся с часами сервера", "The register's clock differs from the server's"),
    todo: say(
      "Проверьте часовой пояс в настройках, затем закройте смену и поправьте часы кассы.",
      "Check the time zone in the settings, then close the shift and set the clock.",
    ),
  }),
  "drive-phase": (say) => ({
    what: say("Накопитель не готов: не зарегистрирован или закрыт", "The drive is not registered, or its archive is closed"),
    todo: say("Зарегистрируйте кассу или замените накопитель.", "Register the register, or replace the drive."),
  }),
  "clock-behind": (say) => ({
    what: say("Часы кассы показывают время раньше последнего чека", "The register's clock is before its last document"),
    todo: say("Поставьте часы кассы.", "Set the register's clock."),
  }),
  paper: (say) => ({
    what: say("Нет бумаги", "There is no paper"),
    todo: say("Вставьте ленту.", "Put paper in."),
  }),
  cover: (say) => ({
    what: say("Открыта крышка", "The cover is open"),
    todo: say("Закройте крышку.", "Close it."),
  }),
};
