import { crc32, deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readErrors, readFiscalAnswer } from "../../../../../src/tools/sandbox/caller/fiscal-answer.ts";

describe("reading a solution's answers", () => {
  it("a whole answer to a sale is read and its receipt unpacked", () => {
    const read = readFiscalAnswer("retaildemand", answer({}));
    expect(read).toMatchObject({
      kind: "answer",
      answer: { fiscalDocNumber: "318", fiscalDocSign: "1204745171", pdf: Buffer.from("%PDF-1.4") },
    });
  });

  it.each([
    ["a number instead of a string", { fiscalDocNumber: 318 }, "fiscalDocNumber is 318"],
    ["an unpadded registration number", { kktRegNumber: "42042817" }, 'kktRegNumber is "42042817"'],
    ["a time with a zone", { time: "2026-11-12T18:42:11Z" }, 'time is "2026-11-12T18:42:11Z"'],
    ["no receipt", { receipt: undefined }, "the receipt is missing"],
    ["Base64 of the other alphabet", { receipt: "UEs_" }, "the receipt is not standard Base64"],
    ["a zip of another entry", { receipt: zipOf("check.pdf", "%PDF-1.4") }, 'the receipt\'s entry is called "check.pdf"'],
    ["something that is no PDF", { receipt: zipOf("receipt.pdf", "<html>") }, "the receipt is not a PDF"],
  ])("%s is named", (_, change, problem) => {
    expect(readFiscalAnswer("retaildemand", answer(change))).toEqual({ kind: "wrong", problem });
  });

  it("shift operations must carry their shift fields", () => {
    expect(readFiscalAnswer("openshift", answer({}))).toEqual({ kind: "wrong", problem: "shiftNumber is undefined" });
    expect(readFiscalAnswer("openshift", answer({ shiftNumber: "27" })).kind).toBe("answer");
    expect(readFiscalAnswer("closeshift", answer({ shiftNumber: "27", chequesTotal: "3", fiscalDocsTotal: 5 }))).toEqual({
      kind: "wrong",
      problem: 'chequesTotal is "3"',
    });
  });

  it("errors of the contract's shape are read, anything else gives none", () => {
    const body = { errors: [{ error: "Shift closed", code: 51001, error_message: "Смена не открыта", parameter: "retailShift" }] };
    expect(readErrors(Buffer.from(JSON.stringify(body)))).toEqual([
      { error: "Shift closed", code: 51001, message: "Смена не открыта", parameter: "retailShift" },
    ]);
    expect(readErrors(Buffer.from("<html>"))).toEqual([]);
    expect(readErrors(Buffer.from('{"errors":[{"code":"51001"}]}'))).toEqual([]);
  });
});

function answer(change: object): Buffer {
  const whole = {
    fnNumber: "9999078900001234",
    kktRegNumber: "0000000042042817",
    fiscalDocNumber: "318",
    fiscalDocSign: "1204745171",
    receipt: zipOf("receipt.pdf", "%PDF-1.4"),
    time: "2026-11-12 18:42:11",
  };
  return Buffer.from(JSON.stringify({ ...whole, ...change }));
}

/** Returns a zip with one deflated entry, in Base64. */
function zipOf(name: string, content: string): string {
  const packed = deflateRawSync(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(Buffer.byteLength(content), 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), common, Buffer.from(name), packed]);
  const central = Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000", "latin1"), common, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]).toString("base64");
}
