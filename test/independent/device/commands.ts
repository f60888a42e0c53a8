import { codeOf, Fields, fromHex, money, uint } from "../protocol/bytes.ts";
import { cp1251, padded } from "../protocol/text.ts";
import { tagsOf, textTag, tlv } from "../protocol/tlv.ts";
import { dt5, wallClock } from "./moment.ts";
import { Refused } from "./refused.ts";
import type { IndependentRegister } from "./register.ts";

type Who = "nobody" | "anybody" | "reports" | "system";

type Command = {
  /** The least and the largest LEN of the request (shtrih-protocol 5). */
  readonly length: readonly [number, number];
  readonly who: Who;
  readonly run: (register: IndependentRegister, fields: Fields, operator: number) => Buffer | undefined;
};

const none = Buffer.alloc(0);
const exact = (length: number): readonly [number, number] => [length, length];

/** A command whose answer is `CODE ERR op [data]`, in which `op` is the number of the operator. */
const naming = (length: number | readonly [number, number], who: Who, run: Command["run"]): Command => ({
  length: typeof length === "number" ? exact(length) : length,
  who,
  run: (register, fields, operator) => Buffer.concat([Buffer.of(operator), run(register, fields, operator) ?? none]),
});

const plain = (length: number | readonly [number, number], who: Who, run: Command["run"]): Command => ({
  length: typeof length === "number" ? exact(length) : length,
  who,
  run,
});

const printing: Command["run"] = (register) => {
  register.ready();
  register.prints();
  return none;
};

/** Parameters and type of the captured desktop register (shtrih-protocol 14.3, 14.1). */
const parameters = fromHex("5A A0 40 07 20 6C 00 00 0C 18 01 0C 10 00 00 00 00 00 00 1E 00 00 00 00 06 FF 00 40 40 B6 03 12 13");
const deviceType = Buffer.concat([fromHex("00 00 01 0E FC 00"), cp1251("ШТРИХ-ЛАЙТ-02Ф")]);

const base: Readonly<Record<string, Command>> = {
  "10": plain(5, "anybody", (register, _, operator) => register.shortStatus(operator)),
  "11": plain(5, "anybody", (register, _, operator) => register.longStatus(operator)),
  "03": naming(5, "anybody", (register) => void register.stopReading()),
  "13": naming(5, "anybody", () => none),
  "17": naming([6, 255], "anybody", printing),
  "2F": naming([7, 255], "anybody", printing),
  "25": naming(6, "anybody", printing),
  "28": naming(6, "anybody", () => none),
  "29": naming(7, "anybody", printing),
  B0: naming(5, "anybody", () => none),
  "1A": naming([6, 7], "anybody", (register, fields) => uint(register.counters.money(fields.uint(fields.left)), 6)),
  "1B": naming(6, "anybody", (register, fields) => uint(register.counters.count(fields.uint(1)), 2)),
  "1E": plain([9, 255], "system", (register, fields) => {
    register.tables.write(fields.uint(1), fields.uint(2), fields.uint(1), Buffer.from(fields.take()));
    return none;
  }),
  "1F": plain(9, "anybody", (register, fields) => register.tables.read(fields.uint(1), fields.uint(2), fields.uint(1))),
  "2D": plain(6, "anybody", (register, fields) => register.tables.describeTable(fields.uint(1))),
  "2E": plain(7, "anybody", (register, fields) => register.tables.describeField(fields.uint(1), fields.uint(1))),
  "40": naming(5, "reports", (register) => {
    register.ready();
    register.counters.xReport();
    register.prints();
    return none;
  }),
  "41": naming(5, "reports", (register) => void register.closeShift()),
  E0: naming(5, "anybody", (register) => void register.openShift()),
  "50": naming(10, "anybody", (register, fields) => register.drawer(fields.uint(5), "in")),
  "51": naming(10, "anybody", (register, fields) => register.drawer(fields.uint(5), "out")),
  "8D": naming(6, "anybody", (register, fields, operator) => void register.openReceipt(fields.uint(1), operator)),
  "88": naming(5, "anybody", (register, _, operator) => void register.cancelReceipt(operator)),
  "89": naming(5, "anybody", (register, _, operator) => money(register.ownReceipt(operator).totalKopecks)),
  "6B": plain([1, 2], "nobody", () => cp1251("Ошибка")),
  F7: plain([2, 6], "nobody", () => parameters),
  FC: plain(1, "nobody", () => deviceType),
};

const extended: Readonly<Record<string, Command>> = {
  FF01: plain(6, "system", (register) => register.driveStatus()),
  FF02: plain(6, "system", (register) => Buffer.from(register.identity.drive)),
  FF03: plain(6, "system", () => fromHex("1D 06 1E 1C 01")),
  FF04: plain(6, "system", () => Buffer.concat([padded(Buffer.from("fn debug v 2"), 16), Buffer.of(0)])),
  FF08: plain(6, "system", (register) => void register.abandonDocument()),
  FF09: plain(6, "system", (register) => registration(register)),
  FF4C: plain(7, "system", (register) => registration(register)),
  FF0A: plain(10, "system", (register, fields) => register.drive.found(fields.uint(4))),
  FF0C: plain([11, 255], "anybody", (register, fields) => void register.tagDocument(Buffer.from(fields.take()))),
  FF0E: plain(9, "system", (register, fields) => parameter(register, fields)),
  FF39: plain(6, "system", (register) =>
    Buffer.concat([fromHex("00 00"), uint(0, 2), uint(0, 4), register.drive.last ? Buffer.alloc(5) : none]),
  ),
  FF3A: plain(10, "system", (register, fields) => register.read(fields.uint(4))),
  FF3B: plain(6, "system", (register) => register.nextPart()),
  FF3F: plain(6, "system", () => uint(0, 2)),
  FF40: plain(6, "system", (register) =>
    Buffer.concat([Buffer.of(register.shift.open ? 1 : 0), uint(register.shift.number, 2), uint(register.shift.receipts, 2)]),
  ),
  FF41: plain(6, "system", (register) => void register.begin(0x02)),
  FF42: plain(6, "system", (register) => void register.begin(0x08)),
  FF45: plain([118, 202], "anybody", (register, fields, operator) => register.closeReceipt(fields, operator)),
  FF46: plain([32, 160], "anybody", (register, fields, operator) => void register.position(fields, operator)),
  FF4D: plain([11, 255], "anybody", (register, fields, operator) => void register.ownReceipt(operator).tagItem(Buffer.from(fields.take()))),
  FF63: plain(6, "system", () => Buffer.concat([uint(200_000, 4), uint(30_000, 4)])),
};

const commands: Readonly<Record<string, Command>> = { ...base, ...extended };

/** Carries one request out and records both sides of it. */
export const carryOut = (register: IndependentRegister, request: Buffer): Buffer => {
  const command = codeOf(request);
  const code = request.subarray(0, request[0] === 0xff ? 2 : 1);
  const answer = Buffer.concat([code, outcome(register, command, request.subarray(code.length), request.length)]);
  register.exchanges.push({ command, request: Buffer.from(request), answer });
  return answer;
};

const outcome = (register: IndependentRegister, code: string, rest: Buffer, length: number): Buffer => {
  try {
    const command = commands[code];
    if (command === undefined) throw new Refused(0x37, `no command ${code}`);
    const [least, most] = command.length;
    if (length < least || length > most) throw new Refused(0x7e, `${code} of length ${length}`);
    const fields = new Fields(rest);
    const operator = command.who === "nobody" ? 0 : operatorOf(fields.uint(4), command.who);
    return Buffer.concat([Buffer.of(0), command.run(register, fields, operator) ?? none]);
  } catch (error) {
    if (error instanceof Refused) return Buffer.of(error.code);
    if (error instanceof RangeError) return Buffer.of(0x7e);
    throw error;
  }
};

/** The number of the operator with this password. Table 2 holds the factory passwords, which equal the numbers. */
const operatorOf = (password: number, who: Who): number => {
  const least = who === "system" ? 30 : who === "reports" ? 29 : 1;
  if (password < least || password > 30) throw new Refused(0x4f, `password ${password}`);
  return password;
};

/**
 * The answer to FF09 and FF4C. With formats 1.1 and 1.2 it also has the extension and the INN of the data operator (shtrih-protocol 5.8).
 */
const registration = ({ drive, identity }: IndependentRegister): Buffer => {
  const first = drive.find(1);
  const more = identity.format === 4 ? Buffer.concat([Buffer.of(0), Buffer.from("9900000024".padEnd(12)), uint(0, 4)]) : none;
  return Buffer.concat([dt5(first.moment), drive.registration(), more, uint(first.number, 4), uint(first.sign, 4)]);
};

const parameter = (register: IndependentRegister, fields: Fields): Buffer => {
  fields.take(1);
  const tag = fields.uint(2);
  const own = [
    tlv(1062, Buffer.of(register.identity.taxSystems)),
    textTag(1060, "www.nalog.gov.ru"),
    textTag(1017, "9900000024".padEnd(12)),
  ];
  const found = tagsOf(Buffer.concat([...register.drive.find(1).parts, ...own])).find((one) => one.tag === tag);
  if (found === undefined) throw new Refused(0x08, `no parameter ${tag} at ${wallClock().toISOString()}`);
  return tlv(tag, found.value);
};
