import { verify } from "node:crypto";
import { systemClock } from "../../src/kernel/clock.ts";
import { wallTimeAt } from "../../src/kernel/moment.ts";
import { type Fields, idOf, wrongField } from "./double-fields.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";
import { pdfOf, receiptOf } from "./double-receipt.ts";
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
/** The rates of a seller under general taxation. 20 % is for returns of goods that were sold earlier. */
const RATES = [22, 20, 10, 0];

interface Register {
  fnNumber: string;
  last: number;
  shifts: number;
  receipts: number;
  drawerKopecks: number;
  shiftId?: string;
  /** The type of id (`native` or `sync`) of each receipt, by the content that is the same under both types of id. */
  twins: Map<string, string>;
}

/** The fiscal contract, with a register for each point of sale. */
export class FiscalDouble {
  readonly #vendor: VendorDouble;
  readonly #registers = new Map<string, Register>();
  readonly #journal = new Map<string, { content: string; reply: Reply }>();

  /** Whether all accounts and points of sale share one register. */
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

  /** Skips a number at every register, as if another document had been registered in between. */
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
  const positions = fields.positions as Fields[];
  if (Number(payments.qrSum ?? 0) > 0 && Number(payments.cashSum ?? 0) + Number(payments.cardSum ?? 0) > 0) return fiscalError(412, 50001);
  const rates = positions.filter((line) => isTaxed(line, fields)).map(({ vat }) => Number(vat));
  if (rates.some((rate) => !RATES.includes(rate))) return fiscalError(412, 51020);
  if (operation === "retaildemand" && rates.includes(20) && String(fields.moment) >= "2026") return fiscalError(412, 51020);
  if (positions.some(({ marks, quantity }) => Array.isArray(marks) && marks.length > Number(quantity))) return fiscalError(412, 50001);
  if (payments.prepaymentCashSum !== undefined && payments.advanceSum !== undefined) return fiscalError(412, 50001);
  const paid = Object.values(payments).reduce<number>((sum, value) => sum + Math.round(Number(value ?? 0) * 100), 0);
  const onTop = fields.vatIncluded === false;
  const due = positions.reduce((sum, line) => {
    const total = Math.round(Number(line.price) * Number(line.quantity) * (100 - Number(line.discount ?? 0)));
    return sum + (onTop && isTaxed(line, fields) ? Math.round((total * (100 + Number(line.vat))) / 100) : total);
  }, 0);
  if (Math.abs(paid - due) >= 10) return fiscalError(412, 50001);
  const twin = canonical([operation, idOf(fields.retailShift), fields.name, fields.moment, paid]);
  if (register.twins.get(twin) === otherType(fields)) return fiscalError(409, 50002);
  register.twins.set(twin, typeOf(fields));
  register.drawerKopecks += (operation === "retaildemand" ? 1 : -1) * Math.round(Number(payments.cashSum ?? 0) * 100);
  register.receipts += 1;
  return done(register, operation);
}

function isTaxed(line: Fields, { vatEnabled }: Fields): boolean {
  return vatEnabled !== false && line.vatEnabled !== false && line.vat != null;
}

/** The answer 200 with the numbers of the register. */
function done(register: Register, operation: string): Reply {
  const isCash = operation.startsWith("retaildrawer");
  if (!isCash) register.last += 1;
  const number = isCash ? "0" : String(register.last);
  const answer = {
    fnNumber: register.fnNumber,
    kktRegNumber: "0000000042042817",
    fiscalDocNumber: number,
    fiscalDocSign: isCash ? "0" : String(1_000_000 + register.last),
    receipt: receiptOf(pdfOf(`document ${number} of ${register.fnNumber}`)),
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

/** Whether the account's key, or the key before it, has made the signature. */
export function isSigned({ key, formerKey = key }: Pick<Installed, "key" | "formerKey">, signature: string, body: Buffer): boolean {
  if (key === undefined || formerKey === undefined || !/^[\w+/=-]{10,}$/.test(signature)) return false;
  const bytes = /^([0-9a-f]{256}){1,2}$/i.test(signature) ? Buffer.from(signature, "hex") : Buffer.from(signature, "base64");
  return verify("RSA-SHA256", body, key, bytes) || verify("RSA-SHA256", body, formerKey, bytes);
}

function typeOf(fields: Fields): string {
  return (fields.meta as { idType?: string }).idType ?? "native";
}

function otherType(fields: Fields): string {
  return typeOf(fields) === "native" ? "sync" : "native";
}

/** The parsed body. Undefined: it is no JSON in UTF-8. */
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
