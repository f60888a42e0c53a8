import { describe, expect, it } from "vitest";
import {
  type AnswerOf,
  COMMANDS,
  type CommandName,
  commandOf,
  decodeAnswer,
  decodeRequest,
  encodeAnswer,
  encodeError,
  encodeRequest,
  encodeUnknown,
  nameOf,
  type RequestOf,
} from "../../../../../src/registers/shtrih-m/commands/commands.ts";
import { readFound, writeFound } from "../../../../../src/registers/shtrih-m/commands/documents.ts";
import { readVectors, type Vector } from "../../../../support/shtrih-m-vectors.ts";

const vectors = readVectors();
const requests = vectors.filter(({ by }) => by === "host");
const answers = vectors.filter(({ by }) => by === "device");

describe("the vectors of shtrih-protocol 14", () => {
  it("are all here", () => {
    expect(vectors.filter(({ source }) => source === "1.0")).toHaveLength(136);
    expect(requests.length + answers.length).toBe(vectors.length);
  });

  it.each(requests)("$title: the request is read into its fields and written from them byte for byte", ({ command, data, values }) => {
    expect(decodeRequest(data)).toEqual({ kind: "request", name: command, values });
    expect(hex(encodeRequest(command, values as RequestOf<typeof command>))).toBe(hex(data));
  });

  it.each(answers)("$title: the answer is read into its fields and written from them byte for byte", (vector) => {
    expect(decodeAnswer(vector.command, vector.data)).toEqual(expectedOf(vector));
    expect(hex(written(vector))).toBe(hex(vector.data));
  });

  it("say what the document says they say", () => {
    expect(valuesOf("14.1 short status by device")).toMatchObject({ operator: 0x1e, flags: 0x0290, mode: 4, submode: 0 });
    expect(valuesOf("14.1 short status by device, 2")).toMatchObject({ flags: 0x0010, mode: 8, submode: 2 });
    expect(valuesOf("14.1 drive status by device")).toMatchObject({
      life: 3,
      shift: 1,
      time: "2026-03-14 10:05:00",
      driveNumber: "9999078900001234",
      lastDocument: 341,
    });
    expect(valuesOf("14.1 drive validity by device")).toEqual({ until: "2027-06-30", registrationsLeft: 28, registrationsDone: 1 });
    expect(valuesOf("14.1 operator exchange status by device")).toMatchObject({
      unsent: 2,
      firstDocument: 340,
      firstTime: "2026-03-14 10:01:00",
    });
    expect(valuesOf("14.1 open shift in drive by device")).toEqual({ shift: 58, documentNumber: 342, fiscalSign: 0xabcd1234 });
    expect(valuesOf("14.1 operation by host")).toMatchObject({
      quantity: 1_500_000,
      price: 9_990,
      sum: 14_985,
      taxSum: "not-given",
      taxRate: 1,
      method: 4,
      subject: 1,
      name: "Кофе",
    });
    expect(valuesOf("14.1 close receipt by host")).toMatchObject({ rounding: 0, taxSystem: 1, vat: [0, 0, 0, 0, 0, 0] });
    expect(valuesOf("14.1 close receipt by host").payments).toEqual([10_000, 4_985, ...Array<number>(14).fill(0)]);
    expect(valuesOf("14.1 close receipt by device, 2")).toEqual({
      change: 0,
      documentNumber: 343,
      fiscalSign: 0x3e0bbff2,
      time: "2026-03-14 10:07:00",
    });
    expect(valuesOf("14.1 correction receipt by host")).toMatchObject({ type: 0, sign: 1, total: 50_000, taxSystem: 1 });
    expect(valuesOf("14.1 correction receipt by host").vat).toEqual([8_333, 0, 0, 0, 0, 0]);
    expect(valuesOf("14.3 operation by host")).toMatchObject({
      quantity: 3_000_000,
      price: 1_333,
      sum: 4_000,
      name: "Позиция 1",
      padding: 31,
    });
    expect(valuesOf("14.3 long status by device")).toMatchObject({
      firmwareVersion: "C1",
      firmwareBuild: 34_378,
      firmwareDate: "2017-01-13",
      documentNumber: 55,
      flags: 0x02b2,
      mode: 2,
      date: "2017-03-01",
      time: "13:47:21",
      serialNumber: 4_239,
      lastClosedShift: 9,
      inn: 5_752_203_694,
    });
    expect(valuesOf("14.3 field info by device")).toMatchObject({ type: 0, size: 1, limits: Buffer.of(0, 4) });
    expect(valuesOf("14.3 device type by device")).toMatchObject({ model: 45, name: "ШТРИХ-СМАРТПОС-Ф" });
    expect(valuesOf("14.4 state report by device")).toMatchObject({ documentNumber: 13, unsent: 2, unsentSince: "2018-01-25" });
  });

  it("name the capability bits that the document lists", () => {
    const { bits } = valuesOf("14.3 model parameters by device") as AnswerOf<"modelParameters">;
    const set = Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => (bits >> BigInt(bit)) & 1n);
    expect(set).toEqual([1, 3, 4, 6, 13, 15, 22, 24, 25, 26, 37, 42, 43, 45, 46]);
  });

  it("hold documents whose body follows their type", () => {
    const bodies = vectors.filter(({ command, values }) => command === "findDocument" && values !== undefined && "more" in values);
    expect(bodies.map(({ values }) => readFound(Number(values?.type), values?.more as Buffer))).toEqual([
      { kind: "receipt", operation: 1, sum: 14_985 },
      { kind: "shift", shift: 1 },
      { kind: "shift", shift: 1 },
      { kind: "receipt", operation: 1, sum: 20_000 },
      { kind: "receipt", operation: 1, sum: 150_000 },
    ]);
    for (const { values } of bodies) {
      const more = values?.more as Buffer;
      expect(writeFound(readFound(Number(values?.type), more))).toEqual(more);
    }
  });
});

describe("the table of commands", () => {
  const names = Object.keys(COMMANDS) as CommandName[];

  it("finds every command by its code", () => {
    for (const name of names) expect(nameOf(Uint8Array.from(commandOf(name).code))).toBe(name);
  });

  it("never repeats what registers, and gives it the times of shtrih-protocol 3.3", () => {
    const registering = names.filter((name) => commandOf(name).registers);
    expect(registering).toEqual(expect.arrayContaining(["closeReceipt", "correction", "openShift", "zReport", "cashIn", "cashOut"]));
    for (const name of registering) expect(commandOf(name).repeat).toBe("never");
    expect(commandOf("closeReceipt").allowedMs).toBe(60_000);
    expect(commandOf("zReport").allowedMs).toBe(90_000);
    expect(commandOf("openShift").allowedMs).toBe(120_000);
  });

  it("has requests of the lengths of shtrih-protocol 5", () => {
    const lengths = Object.fromEntries(requests.map(({ command, data }) => [command, data.length]));
    expect(lengths).toMatchObject({
      shortStatus: 5,
      cut: 6,
      cashIn: 10,
      readTable: 9,
      driveStatus: 6,
      findDocument: 10,
      closeReceipt: 118,
      correction: 69,
    });
    expect(
      encodeRequest("registration", { password: 30, inn: "7701234567", registrationNumber: "0", taxSystems: 1, mode: 0 }),
    ).toHaveLength(40);
    expect(encodeRequest("oldClose", { password: 1, payments: [0, 0, 0, 0], discount: -1, taxes: [0, 0, 0, 0], text: "" })).toHaveLength(
      71,
    );
  });

  it("refuses to write what does not fit a field", () => {
    expect(() => encodeRequest("cashIn", { password: 1, sum: -1 })).toThrow(RangeError);
    expect(() => encodeRequest("cashIn", { password: 1, sum: 2 ** 40 })).toThrow(RangeError);
    expect(() => encodeRequest("cashIn", { password: 1, sum: 0.5 })).toThrow(RangeError);
    expect(() => encodeRequest("closeReceipt", { password: 1, payments: [1], rounding: 0, vat: [0, 0, 0, 0, 0, 0], taxSystem: 1 })).toThrow(
      RangeError,
    );
    expect(() => encodeRequest("setDate", { password: 30, date: "1999-01-01" })).toThrow(RangeError);
  });
});

describe("requests as a device reads them", () => {
  it("are told from commands that it does not know", () => {
    expect(decodeRequest(Buffer.of(0x77, 1, 2))).toEqual({ kind: "unknown" });
    expect(decodeRequest(Buffer.of(0xff))).toEqual({ kind: "unknown" });
    expect(decodeRequest(Buffer.alloc(0))).toEqual({ kind: "unknown" });
    expect(encodeUnknown(Buffer.of(0x77, 1, 2), 0x37)).toEqual(Buffer.of(0x77, 0x37));
    expect(encodeUnknown(Buffer.of(0xff, 0x99, 1), 0x37)).toEqual(Buffer.of(0xff, 0x99, 0x37));
  });

  it("are told from known commands of a wrong length", () => {
    expect(decodeRequest(Buffer.from("101E0000", "hex"))).toEqual({ kind: "wrong-length", name: "shortStatus" });
    expect(decodeRequest(Buffer.from("101E00000000", "hex"))).toEqual({ kind: "wrong-length", name: "shortStatus" });
  });

  it("may carry the number of a money register in one byte or two", () => {
    for (const register of [241, 4_144]) {
      const data = encodeRequest("moneyRegister", { password: 30, register });
      expect(data).toHaveLength(register > 255 ? 7 : 6);
      expect(decodeRequest(data)).toMatchObject({ values: { register } });
    }
  });

  it("close a receipt with text, and after 64 bytes of it with the newer taxes", () => {
    const close = { password: 1, payments: Array<number>(16).fill(0), rounding: 0, vat: Array<number>(6).fill(0), taxSystem: 1 };
    const text = { text: "Спасибо", padding: 57 };
    const long = encodeRequest("closeReceipt", { ...close, closing: text });
    expect(long).toHaveLength(182);
    expect(decodeRequest(long)).toMatchObject({ values: { closing: text } });
    const longest = encodeRequest("closeReceipt", { ...close, closing: { ...text, moreVat: [1, 2, 3, 4] } });
    expect(longest).toHaveLength(202);
    expect(decodeRequest(longest)).toMatchObject({ values: { closing: { ...text, moreVat: [1, 2, 3, 4] } } });
  });
});

describe("answers as a driver reads them", () => {
  it("may be longer than documented", () => {
    expect(decodeAnswer("driveValidity", Buffer.from("FF03001B061E1C01AABB", "hex"))).toEqual({
      kind: "ok",
      values: { until: "2027-06-30", registrationsLeft: 28, registrationsDone: 1 },
      tail: Buffer.of(0xaa, 0xbb),
    });
  });

  it("may lack what older firmware does not send", () => {
    expect(decodeAnswer("driveValidity", Buffer.from("FF03001B061E", "hex"))).toMatchObject({
      kind: "ok",
      values: { until: "2027-06-30" },
    });
    expect(decodeAnswer("openShift", Buffer.of(0xe0, 0))).toEqual({ kind: "ok", values: {}, tail: Buffer.alloc(0) });
  });

  it("tell an error in the short form of an extended command, with any error", () => {
    expect(decodeAnswer("closeReceipt", Buffer.of(0xff, 0x37))).toMatchObject({ kind: "error", error: 0x37, form: "short" });
    expect(encodeError("closeReceipt", 0x37, "short")).toEqual(Buffer.of(0xff, 0x37));
  });

  it("may carry an extended error behind the error", () => {
    expect(decodeAnswer("operation", Buffer.from("FF465E02005E00", "hex"))).toMatchObject({ error: 0x5e, tail: Buffer.of(2, 0, 0x5e, 0) });
  });

  it("tell when they belong to another command, or lack a field", () => {
    expect(decodeAnswer("longStatus", Buffer.of(0x1e, 0))).toEqual({ kind: "foreign" });
    expect(decodeAnswer("operation", Buffer.of(0xff, 0x45, 0))).toEqual({ kind: "foreign" });
    expect(decodeAnswer("cashIn", Buffer.of(0x50, 0, 1))).toEqual({ kind: "short", field: "document" });
    expect(decodeAnswer("cashIn", Buffer.of(0x50))).toEqual({ kind: "short", field: "error" });
    expect(decodeAnswer("stateReport", Buffer.of(0xff, 0))).toEqual({ kind: "short", field: "error" });
  });

  it("never throw, whatever comes, and lose no byte of it", () => {
    let state = 7;
    const next = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 16;
    };
    // A register number below 256 may come in two bytes and is written in one.
    const names = (Object.keys(COMMANDS) as CommandName[]).filter((name) => name !== "moneyRegister");
    for (let round = 0; round < 20_000; round += 1) {
      const name = names[next() % names.length] ?? "shortStatus";
      const body = Buffer.from(Array.from({ length: next() % 64 }, () => next() & 0xff));
      const data = Buffer.concat([Uint8Array.from(commandOf(name).code), body]);
      const answer = decodeAnswer(name, data);
      if (answer.kind === "ok") expect(hex(encodeAnswer(name, answer.values, answer.tail))).toBe(hex(data));
      const request = decodeRequest(data);
      if (request.kind === "request") expect(hex(encodeRequest(request.name, request.values as RequestOf<CommandName>))).toBe(hex(data));
    }
  });
});

function expectedOf({ values, tail, error, form }: Vector): unknown {
  const nothing = Buffer.alloc(0);
  return error === undefined ? { kind: "ok", values, tail: tail ?? nothing } : { kind: "error", error, form, tail: tail ?? nothing };
}

/** The vector as the device's encoder writes it. */
function written({ command, values, tail, error, form }: Vector): Buffer {
  if (error !== undefined) return encodeError(command, error, form, tail);
  return encodeAnswer(command, values as AnswerOf<typeof command>, tail);
}

function valuesOf(title: string): Record<string, unknown> {
  const values = vectors.find((vector) => vector.title === title)?.values;
  if (values === undefined) throw new Error(`no vector "${title}"`);
  return values;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
