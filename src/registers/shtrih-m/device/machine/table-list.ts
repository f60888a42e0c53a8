import type { RegisterIdentity } from "../../../../model/facts.ts";
import { TAX_SYSTEMS } from "../../../../model/tax.ts";
import { decodeCp1251, encodeCp1251 } from "../../commands/charset.ts";
import type { Personality } from "./personality.ts";
import { bin, char, numbered, type Table } from "./table-fields.ts";

/** Fields with the same place on every model: table and field. */
export const FIELD = {
  taxMode: [1, 14],
  forbidZero: [1, 23],
  operatorPassword: [2, 1],
  operatorName: [2, 2],
  printing: [17, 7],
  extendedAnswers: [17, 36],
  replaceVat20: [17, 71],
} as const;

/** The number of operators in table 2: cashiers, administrator, system administrator (shtrih-protocol 3.2). */
export const OPERATORS = 30;

/** The size of a text's first field. A longer text continues in a second field (shtrih-protocol 6, table 18). */
const HALF_BYTES = 128;

/** Returns all tables of the device by number. */
export function tablesOf(identity: RegisterIdentity, personality: Personality): Map<number, Table> {
  const { tables } = personality;
  const list: [number, Table][] = [
    [1, settings()],
    [2, operators()],
    [4, { name: "ТЕКСТ В ЧЕКЕ", rows: 14, fields: [char("Текст", 64, "")] }],
    [5, { name: "ТИПЫ ОПЛАТ", rows: 16, fields: [char("Наименование", 64, (row) => PAYMENTS[row] ?? `ОПЛАТА ${row}`)] }],
    [6, taxes()],
    [7, { name: "ОТДЕЛЫ", rows: 16, fields: [char("Наименование", 64, (row) => `ОТДЕЛ ${row}`)] }],
    [10, service(identity, personality)],
    [17, regional(identity, personality)],
    [tables.drive, drive(identity)],
    [tables.operator, operator()],
    [20, exchange()],
    [21, network()],
    [tables.embedded, embedded(personality)],
  ];
  return new Map(list);
}

function settings(): Table {
  const known = {
    1: bin("Номер ККТ в магазине", 1),
    2: bin("Обнуление наличности", 0, { max: 1 }),
    7: bin("Отрезка чека", 1, { max: 2 }),
    14: bin("Начисление налогов", 0, { max: 3 }),
    17: bin("Печать заголовка", 1, { max: 1 }),
    20: bin("Печать при закрытии чека", 1, { max: 1 }),
    22: bin("Отрезка внутри чека", 0, { max: 1 }),
    23: bin("Запрет нулевого чека", 0, { max: 1 }),
    26: bin("Сброс счётчика чеков", 0, { max: 1 }),
    30: bin("Тип отчёта о закрытии смены", 0, { max: 1 }),
    39: bin("Печать заголовка в конце документа", 0, { max: 1 }),
    40: bin("Скорость печати", 0),
    41: bin("Печать QR-кода", 1, { max: 1 }),
  };
  return { name: "ТИП И РЕЖИМ КАССЫ", rows: 1, fields: numbered(45, known) };
}

function operators(): Table {
  return {
    name: "ПАРОЛИ КАССИРОВ И АДМИНИСТРАТОРОВ",
    rows: OPERATORS,
    fields: [bin("Пароль", (row) => row, { size: 4, max: 99_999_999 }), char("Имя", 64)],
  };
}

const PAYMENTS: Readonly<Record<number, string>> = {
  1: "НАЛИЧНЫМИ",
  2: "ЭЛЕКТРОННЫМИ",
  14: "ПРЕДВАРИТЕЛЬНАЯ ОПЛАТА",
  15: "ПОСЛЕДУЮЩАЯ ОПЛАТА",
  16: "ИНАЯ ФОРМА ОПЛАТЫ",
};

/** The rate × 100 and the name of each row (shtrih-protocol 6, table 6). */
const RATES: readonly (readonly [number, string])[] = [
  [2_000, "НДС 20%"],
  [1_000, "НДС 10%"],
  [0, "НДС 0%"],
  [0, "БЕЗ НДС"],
  [2_000, "НДС 20/120"],
  [1_000, "НДС 10/110"],
  [500, "НДС 5%"],
  [700, "НДС 7%"],
  [500, "НДС 5/105"],
  [700, "НДС 7/107"],
  [2_200, "НДС 22%"],
  [2_200, "НДС 22/122"],
];

function taxes(): Table {
  return {
    name: "НАЛОГОВЫЕ СТАВКИ",
    rows: RATES.length,
    fields: [
      bin("Величина налога", (row) => RATES[row - 1]?.[0] ?? 0, { size: 2, max: 9_999, writing: "closed" }),
      char("Название налога", 64, (row) => RATES[row - 1]?.[1] ?? "", { writing: "closed" }),
    ],
  };
}

/**
 * Returns the service table. On a cashcore device this table also has the document format, and the field's name lists the values
 * (shtrih-protocol 14.3).
 */
function service({ ffd }: RegisterIdentity, { tables }: Personality): Table {
  const format = bin("1209: ФФД, 0NA - 1.0, 2 - 1.05, 4 - 1.2", FORMATS[ffd], { max: 4, writing: "closed" });
  const known = { 10: bin("Время ожидания ФН", 30), 12: bin("Не рассылать UDP", 0, { max: 1 }) };
  return { name: "СЛУЖЕБНАЯ", rows: 1, fields: numbered(50, tables.format === 10 ? { ...known, [tables.formatField]: format } : known) };
}

/** Values of T17F17 (shtrih-protocol 6). */
const FORMATS: Record<RegisterIdentity["ffd"], number> = { "1.05": 2, "1.1": 3, "1.2": 4 };

function regional({ ffd }: RegisterIdentity, { tables }: Personality): Table {
  const known = {
    3: bin("Режим начисления скидок", 2, { max: 2 }),
    7: bin("Rus не печатать документ", 0, { max: 3 }),
    8: bin("Rus минут до 24 часов", 0),
    17: bin("Rus формат ФД", FORMATS[ffd], { min: 1, max: 4, writing: "closed" }),
    25: bin("Rus автопечать тегов", 1),
    36: bin("Rus расшир. отв. на команды форм. ФД", 0, { max: 1 }),
    41: bin("Rus принимать все КТ", 0, { max: 1 }),
    71: bin("Rus замена НДС 20 на 22", 1, { max: 2 }),
  };
  const fields = numbered(73, known);
  if (tables.format !== 17) fields[16] = bin("Резерв", 0);
  return { name: "РЕГИОНАЛЬНЫЕ НАСТРОЙКИ", rows: 1, fields };
}

function drive(identity: RegisterIdentity): Table {
  const fixed = { writing: "fixed" } as const;
  const taxSystems = identity.taxSystems.reduce((bits, system) => bits | TAX_SYSTEMS[system].tag1055, 0);
  const known = {
    1: char("Serial number", 21, identity.serialNumber, fixed),
    2: char("Inn", 17, identity.inn, { padding: 0x20, ...fixed }),
    3: char("Rnm", 21, identity.registrationNumber, fixed),
    4: char("Fs serial number", 17, identity.driveNumber, fixed),
    5: bin("Tax system", taxSystems, fixed),
    6: bin("Work mode", 0, fixed),
    7: char("User", HALF_BYTES, firstHalf(identity.sellerName), { writing: "closed" }),
    8: char("Operator", 64, "", { writing: "closed" }),
    9: char("Address", HALF_BYTES, firstHalf(identity.address), { writing: "closed" }),
    10: char("Ofd name", HALF_BYTES, 'АО "ОБРАЗЕЦ-ОФД"'),
    11: char("Ofd url", 64, "ofd.example"),
    12: char("Ofd inn", 17, "9600000016", { padding: 0x20 }),
    13: char("Tax office url", 64, identity.fnsSite),
    14: char("Place", HALF_BYTES, firstHalf(identity.place), { writing: "closed" }),
    15: char("Sender email", 64, identity.senderEmail ?? ""),
    17: char("User 2", HALF_BYTES, secondHalf(identity.sellerName), { writing: "closed" }),
    18: char("Address 2", HALF_BYTES, secondHalf(identity.address), { writing: "closed" }),
    19: char("Ofd name 2", HALF_BYTES),
    20: char("Place 2", HALF_BYTES, secondHalf(identity.place), { writing: "closed" }),
    22: bin("Change reason", 0, { size: 4 }),
    23: char("Cashier inn", 13),
  };
  return { name: "FISCAL STORAGE", rows: 1, fields: numbered(25, known) };
}

function operator(): Table {
  const known = {
    1: char("Сервер", 64, "ofd.example"),
    2: bin("Порт", 7_777, { size: 2 }),
    3: bin("Таймаут чтения ответа", 30),
    5: char("Сервер КМ", 64),
    6: bin("Порт КМ", 0, { size: 2 }),
    7: bin("Таймаут КМ", 5),
  };
  return { name: "ПАРАМЕТРЫ ОФД", rows: 1, fields: numbered(11, known) };
}

function exchange(): Table {
  return { name: "СТАТУС ОБМЕНА ФН", rows: 1, fields: numbered(17, {}) };
}

function network(): Table {
  const known = { 2: bin("Обмен с ОФД", 1, { max: 1 }), 3: bin("TCP сервер", 1, { max: 1 }), 4: bin("TCP порт", 7_778, { size: 2 }) };
  return { name: "СЕТЕВЫЕ НАСТРОЙКИ", rows: 1, fields: numbered(16, { ...known, 16: bin("Таймаут TCP", 60) }) };
}

function embedded({ automaticShift }: Personality): Table {
  const known = { 1: char("Номер автомата", 20), 13: bin("Автооткрытие смены", automaticShift ? 1 : 0, { max: 1 }) };
  return { name: "ВСТРАИВАЕМАЯ ТЕХНИКА", rows: 1, fields: numbered(13, known) };
}

function firstHalf(text: string): string {
  return decodeCp1251(encodeCp1251(text).subarray(0, HALF_BYTES));
}

function secondHalf(text: string): string {
  return decodeCp1251(encodeCp1251(text).subarray(HALF_BYTES));
}
