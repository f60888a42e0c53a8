import { verify } from "node:crypto";
import { crc32 } from "node:zlib";
import { systemClock } from "../../src/kernel/clock.ts";
import { parseWallTime, wallTimeAt } from "../../src/kernel/moment.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";
import type { Installed, VendorDouble } from "./double-vendor.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const METHODS: Record<string, string> = {
  openshift: "PUT",
  retaildemand: "POST",
  retaisalesreturn: "POST",
  retaildrawercashin: "POST",
  retaildrawercashout: "POST",
  closeshift: "PUT",
};
const ID = /^[A-Za-z0-9-]{1,64}$/;
const AMOUNT = /^\d+(\.\d{1,2})?$/;

type Fields = Record<string, unknown>;

interface Register {
  fnNumber: string;
  last: number;
  shifts: number;
  receipts: number;
  drawerKopecks: number;
  shiftId?: string;
  /** What is the same in both of a sale's ids. */
  twins: Map<string, string>;
}

/** The fiscal contract: a register for each point of sale. */
export class FiscalDouble {
  readonly #vendor: VendorDouble;
  readonly #registers = new Map<string, Register>();
  readonly #journal = new Map<string, { content: string; reply: Reply }>();

  /** One register for every account and point of sale. */
  readonly #shared: boolean;

  constructor(vendor: VendorDouble, shared = false) {
    this.#vendor = vendor;
    this.#shared = shared;
  }

  answer(request: Incoming): Reply {
    const [, name = ""] = /^\/fiscal\/1\/([a-z]+)$/.exec(request.path) ?? [];
    const operation = name === "retailsalesreturn" ? "retaisalesreturn" : name;
    const method = METHODS[operation];
    if (method === undefined) return fiscalError(404, 50404);
    if (request.method !== method) return fiscalError(405, 50405);
    const account = this.#vendor.byRegistration(request.headers["x-platform-fiscal-account-id"] ?? "");
    if (account?.state !== "active") return fiscalError(412, 12017);
    if (request.headers["content-type"] !== "application/json") return fiscalError(415, 50415);
    if (request.body.length > MAX_BODY_BYTES) return fiscalError(413, 50413);
    if (!isSigned(account, request.headers["x-platform-fiscal-signature"] ?? "", request.body)) return fiscalError(412, 12017);
    const value = valueIn(request.body);
    if (value === undefined) return fiscalError(400, 50400);
    const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
    const wrong = wrongField(operation, fields as Fields);
    return wrong === undefined ? this.#once(account.accountId, operation, fields as Fields) : fiscalError(412, 999, wrong);
  }

  get openShifts(): number {
    return [...this.#registers.values()].filter(({ shiftId }) => shiftId !== undefined).length;
  }

  /** As if another document had been registered in between, at every register. */
  skipNumber(): void {
    for (const register of this.#registers.values()) register.last += 1;
  }

  #once(accountId: string, operation: string, fields: Fields): Reply {
    const isShift = operation === "openshift" || operation === "closeshift";
    const key = `${accountId} ${operation} ${idOf(isShift ? fields.retailShift : fields)}`;
    const content = canonical(fields);
    const known = this.#journal.get(key);
    if (known !== undefined) return known.content === content ? known.reply : fiscalError(409, 50002);
    const reply = this.#work(this.#registerOf(accountId, fields), operation, fields);
    if (reply.status === 200) this.#journal.set(key, { content, reply });
    return reply;
  }

  #work(register: Register, operation: string, fields: Fields): Reply {
    const shiftId = idOf(fields.retailShift);
    if (operation === "openshift") {
      if (register.shiftId !== undefined) return fiscalError(412, 51003);
      register.shiftId = shiftId;
      register.shifts += 1;
      register.receipts = 0;
      return done(register, operation);
    }
    if (register.shiftId === undefined) return fiscalError(412, 51001);
    if (register.shiftId !== shiftId) return fiscalError(412, 50010);
    if (operation === "closeshift") {
      delete register.shiftId;
      return done(register, operation);
    }
    return operation.startsWith("retaildrawer") ? cash(register, operation, fields) : trade(register, operation, fields);
  }

  #registerOf(accountId: string, fields: Fields): Register {
    const key = this.#shared ? "" : `${accountId} ${idOf(fields.retailStore ?? fields.retailstore)}`;
    const number = `9999078${String(this.#registers.size).padStart(9, "0")}`;
    const register = this.#registers.get(key) ?? { fnNumber: number, last: 0, shifts: 0, receipts: 0, drawerKopecks: 0, twins: new Map() };
    this.#registers.set(key, register);
    return register;
  }
}

function cash(register: Register, operation: string, fields: Fields): Reply {
  const sum = Number(fields.sum);
  if (operation === "retaildrawercashout" && sum > register.drawerKopecks) return fiscalError(412, 51011);
  register.drawerKopecks += operation === "retaildrawercashin" ? sum : -sum;
  return done(register, operation);
}

function trade(register: Register, operation: string, fields: Fields): Reply {
  const payments = fields.payments as Record<string, string | number | undefined>;
  const positions = fields.positions as Record<string, unknown>[];
  if (payments.qrSum !== undefined && (payments.cashSum !== undefined || payments.cardSum !== undefined)) return fiscalError(412, 50001);
  if (positions.some(({ vat }) => Number(vat) === 20) && String(fields.moment) >= "2026") return fiscalError(412, 51020);
  if (positions.some(({ marks, quantity }) => Array.isArray(marks) && marks.length > Number(quantity))) return fiscalError(412, 50001);
  if (payments.prepaymentCashSum !== undefined && payments.advanceSum !== undefined) return fiscalError(412, 50001);
  const paid = Object.values(payments).reduce<number>((sum, value) => sum + Math.round(Number(value ?? 0) * 100), 0);
  const onTop = fields.vatIncluded === false;
  const due = positions.reduce((sum, line) => {
    const total = Math.round(Number(line.price) * Number(line.quantity) * (100 - Number(line.discount ?? 0)));
    return sum + (onTop ? Math.round((total * (100 + Number(line.vat))) / 100) : total);
  }, 0);
  if (Math.abs(paid - due) >= 10) return fiscalError(412, 50001);
  const twin = canonical([operation, idOf(fields.retailShift), fields.name, fields.moment, paid]);
  if (register.twins.get(twin) === otherType(fields)) return fiscalError(409, 50002);
  register.twins.set(twin, typeOf(fields));
  register.drawerKopecks += (operation === "retaildemand" ? 1 : -1) * Math.round(Number(payments.cashSum ?? 0) * 100);
  register.receipts += 1;
  return done(register, operation);
}

/** 200 with the numbers of the register. */
function done(register: Register, operation: string): Reply {
  const isCash = operation.startsWith("retaildrawer");
  if (!isCash) register.last += 1;
  const number = isCash ? "0" : String(register.last);
  const answer = {
    fnNumber: register.fnNumber,
    kktRegNumber: "0000000042042817",
    fiscalDocNumber: number,
    fiscalDocSign: isCash ? "0" : String(1_000_000 + register.last),
    receipt: receiptOf(`%PDF-1.4 document ${number} of ${register.fnNumber}`),
    ...(operation.endsWith("shift") ? { shiftNumber: String(register.shifts) } : {}),
    time: wallTimeAt(systemClock.nowMs(), "Europe/Moscow"),
    ...(operation === "closeshift" ? { chequesTotal: register.receipts, fiscalDocsTotal: register.receipts + 2 } : {}),
  };
  return { status: 200, body: JSON.stringify(answer) };
}

export function fiscalError(status: number, code: number, parameter?: string): Reply {
  const error = {
    error: "Refused",
    code,
    error_message: "Отказано. Позовите администратора.",
    ...(parameter === undefined ? {} : { parameter }),
  };
  return { status, body: JSON.stringify({ errors: [error] }) };
}

/** Base64 of a zip with one stored entry. */
export function receiptOf(text: string, name = "receipt.pdf"): string {
  const bytes = Buffer.from(text);
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt32LE(crc32(bytes), 10);
  shared.writeUInt32LE(bytes.length, 14);
  shared.writeUInt32LE(bytes.length, 18);
  shared.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), shared, Buffer.from(name), bytes]);
  const central = Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), shared, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]).toString("base64");
}

/** By the account's key or the one before it. */
export function isSigned({ key, formerKey = key }: Pick<Installed, "key" | "formerKey">, signature: string, body: Buffer): boolean {
  if (key === undefined || formerKey === undefined || !/^[\w+/=-]{10,}$/.test(signature)) return false;
  const bytes = /^([0-9a-f]{256}){1,2}$/i.test(signature) ? Buffer.from(signature, "hex") : Buffer.from(signature, "base64");
  return verify("RSA-SHA256", body, key, bytes) || verify("RSA-SHA256", body, formerKey, bytes);
}

/** Name of the first field that is missing or cannot be. */
function wrongField(operation: string, fields: Fields): string | undefined {
  const isShift = operation === "openshift" || operation === "closeshift";
  const moment = isShift ? operation.replace("shift", "Moment") : "moment";
  if (!ID.test(idOf(fields.retailShift))) return "retailShift";
  if (!isShift && !ID.test(idOf(fields))) return "meta.id";
  if (typeof fields.name !== "string") return "name";
  if (!ID.test(idOf(fields.retailStore ?? fields.retailstore))) return "retailStore";
  if (parseWallTime(String(fields[moment])) === undefined) return moment;
  if (operation.startsWith("retaildrawer")) return /^[1-9]\d*$/.test(String(fields.sum)) ? undefined : "sum";
  return isShift ? undefined : wrongTradeField(fields);
}

function wrongTradeField({ payments, positions }: Fields): string | undefined {
  if (typeof payments !== "object" || payments === null) return "payments";
  if (!Array.isArray(positions) || positions.length === 0) return "positions";
  const index = positions.findIndex((position: Fields) => {
    const { name } = { ...(position.assortment as { name?: unknown } | undefined) };
    return typeof name !== "string" || !(Number(position.quantity) > 0) || !AMOUNT.test(String(position.price));
  });
  return index === -1 ? undefined : `positions[${index}]`;
}

function idOf(reference: unknown): string {
  const meta = typeof reference === "object" && reference !== null && "meta" in reference ? reference.meta : undefined;
  return typeof meta === "object" && meta !== null && "id" in meta ? String(meta.id) : "";
}

function typeOf(fields: Fields): string {
  return (fields.meta as { idType?: string }).idType ?? "native";
}

function otherType(fields: Fields): string {
  return typeOf(fields) === "native" ? "sync" : "native";
}

/** The parsed body; undefined when it is no JSON in UTF-8. */
function valueIn(body: Buffer): unknown {
  if (Object.keys(objectIn(body)).length > 0)
    return new TextDecoder("utf-8", { fatal: false }).decode(body).includes("\ufffd") ? undefined : objectIn(body);
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
