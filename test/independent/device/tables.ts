import { uint } from "../protocol/bytes.ts";
import { cp1251, padded } from "../protocol/text.ts";
import type { Identity } from "./identity.ts";
import { Refused } from "./refused.ts";

type Field = { readonly name: string; readonly type: "bin" | "char"; readonly size: number; readonly readOnly?: boolean };
type Table = { readonly name: string; readonly rows: number; readonly count: number; readonly fields: Readonly<Record<number, Field>> };

const bin = (name: string, size = 1, readOnly = false): Field => ({ name, type: "bin", size, readOnly });
const char = (name: string, size: number, readOnly = false): Field => ({ name, type: "char", size, readOnly });
const spare: Field = bin("Резерв");

/** The tables of shtrih-protocol 6. The names are spelt as in the dump of a real device (shtrih-protocol 0.1, DUMP). */
const tables: Readonly<Record<number, Table>> = {
  1: { name: "ТИП И РЕЖИМ КАССЫ", rows: 1, count: 45, fields: { 14: bin("Начисление налогов") } },
  2: { name: "ПАРОЛИ КАССИРОВ", rows: 30, count: 2, fields: { 1: bin("Пароль", 4), 2: char("Имя", 64) } },
  4: { name: "ТЕКСТ В ЧЕКЕ", rows: 14, count: 1, fields: { 1: char("Текст", 64) } },
  5: { name: "ТИПЫ ОПЛАТ", rows: 16, count: 1, fields: { 1: char("Название", 64) } },
  6: { name: "НАЛОГИ", rows: 12, count: 2, fields: { 1: bin("Ставка", 2), 2: char("Название", 64) } },
  17: {
    name: "РЕГИОНАЛЬНЫЕ НАСТРОЙКИ",
    rows: 1,
    count: 71,
    fields: {
      3: bin("Rus режим скидок"),
      7: bin("Rus не печатать документ"),
      17: bin("Rus формат ФД"),
      36: bin("Rus расшир. отв. на команды форм. ФД"),
      41: bin("Rus принимать все КТ"),
      71: bin("Rus замена НДС 20 на 22"),
    },
  },
  18: {
    name: "Fiscal storage",
    rows: 1,
    count: 25,
    fields: {
      1: char("Serial number", 21, true),
      2: char("Inn", 17, true),
      3: char("Rnm", 21, true),
      4: char("Fs serial number", 17, true),
      5: bin("Tax system", 1, true),
      6: bin("Work mode", 1, true),
      7: char("User", 128),
      8: char("Operator", 64),
      9: char("Address", 128),
      10: char("Ofd name", 128),
      11: char("Ofd url", 64),
      12: char("Ofd inn", 17),
      13: char("Fns url", 64),
      14: char("Place", 128),
      15: char("Sender e-mail", 64),
      ...Object.fromEntries([17, 18, 19, 20].map((field) => [field, char("Continued", 128)])),
      22: bin("Reason", 4),
      23: char("Cashier inn", 13),
    },
  },
  19: {
    name: "OFD",
    rows: 1,
    count: 11,
    fields: { 1: char("Server", 64), 2: bin("Port", 2), 5: char("Km server", 64), 6: bin("Km port", 2), 9: char("Okp server", 64) },
  },
  21: { name: "NETWORK", rows: 1, count: 16, fields: { 4: bin("Tcp port", 2) } },
  24: { name: "EMBEDDED", rows: 1, count: 16, fields: { 1: char("Automat number", 21) } },
};

export class Tables {
  readonly #values = new Map<string, Buffer>();

  constructor(identity: Identity) {
    for (let row = 1; row <= 30; row++) this.#set(2, row, 1, uint(row, 4));
    const rates = [2000, 1000, 0, 0, 2000, 1000, 500, 700, 500, 700, 2200, 2200];
    for (const [index, rate] of rates.entries()) this.#set(6, index + 1, 1, uint(rate, 2));
    this.#set(17, 1, 3, Buffer.of(2));
    this.#set(17, 1, 17, Buffer.of(identity.format));
    this.#set(17, 1, 71, Buffer.of(identity.twentyIsTwentyTwo ? 1 : 0));
    const texts: readonly (readonly [number, string])[] = [
      [1, identity.factory],
      [2, identity.inn.padEnd(16)],
      [3, identity.registration],
      [4, identity.drive],
      [7, identity.user],
      [9, identity.address],
      [10, 'ОФД "ОБРАЗЕЦ"'],
      [12, "9900000024"],
      [13, "www.nalog.gov.ru"],
      [14, identity.place],
    ];
    for (const [field, text] of texts) this.#set(18, 1, field, cp1251(text));
    this.#set(18, 1, 5, Buffer.of(identity.taxSystems));
    this.#set(21, 1, 4, uint(7778, 2));
  }

  number(table: number, row: number, field: number): number {
    const value = this.read(table, row, field);
    return value.readUIntLE(0, value.length);
  }

  read(table: number, row: number, field: number): Buffer {
    const { size } = this.#field(table, row, field);
    return this.#values.get(`${table}.${row}.${field}`) ?? Buffer.alloc(size);
  }

  write(table: number, row: number, field: number, value: Buffer): void {
    const { size, type, readOnly = false } = this.#field(table, row, field);
    if (readOnly) throw new Refused(0x7a, "read-only field");
    if (value.length > size || (type === "bin" && value.length !== size)) throw new Refused(0x33, "value of another size");
    this.#set(table, row, field, value);
  }

  describeTable(table: number): Buffer {
    const { name, rows, count } = this.#table(table);
    return Buffer.concat([padded(cp1251(name), 40), uint(rows, 2), uint(count, 1)]);
  }

  describeField(table: number, field: number): Buffer {
    const { name, type, size } = this.#field(table, 1, field);
    const head = Buffer.concat([padded(cp1251(name), 40), Buffer.of(type === "bin" ? 0 : 1, size)]);
    return type === "bin" ? Buffer.concat([head, Buffer.alloc(size), Buffer.alloc(size, 0xff)]) : head;
  }

  #set(table: number, row: number, field: number, value: Buffer): void {
    this.#values.set(`${table}.${row}.${field}`, padded(value, this.#field(table, row, field).size));
  }

  #table(number: number): Table {
    const table = tables[number];
    if (table === undefined) throw new Refused(0x5d, `no table ${number}`);
    return table;
  }

  #field(number: number, row: number, field: number): Field {
    const { rows, count, fields } = this.#table(number);
    if (row < 1 || row > rows || field < 1 || field > count) throw new Refused(0x33, `no field ${number}.${row}.${field}`);
    return fields[field] ?? spare;
  }
}
