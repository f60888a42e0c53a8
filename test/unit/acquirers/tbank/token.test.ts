import { describe, expect, it } from "vitest";
import { readBankJson } from "../../../../src/acquirers/bank-json.ts";
import { isTokenOf, tokenOf } from "../../../../src/acquirers/tbank/token.ts";

/** The vectors of qr-acquirers 4.2. */
const VECTORS = [
  {
    title: "a request made for the reference",
    password: "s3cret-demo",
    json: '{"Amount":25920,"Description":"Receipt 00031","OrderId":"9b6f0e52-2c1d-4f7e-8a35-6d0f4f3a1c77","PayType":"O","TerminalKey":"DemoTerm01"}',
    token: "4bcbb065b76a21b4d40faf48e9f633383948f5b323698be45b67d267327bf3d3",
  },
  {
    title: "a notification made for the reference",
    password: "s3cret-demo",
    json: '{"Amount":25920,"ErrorCode":"0","OrderId":"9b6f0e52-2c1d-4f7e-8a35-6d0f4f3a1c77","PaymentId":4417000123,"Status":"CONFIRMED","Success":true,"TerminalKey":"DemoTerm01"}',
    token: "8f4d166583d2e0834adf5618fc9ec477f9b9c2c8d0eb96d0d53b7ced714a41f9",
  },
  {
    title: "a request of the bank's pages",
    password: "usaf8fw8fsw21g",
    json: '{"TerminalKey":"MerchantTerminalKey","Amount":19200,"OrderId":"21090","Description":"Подарочная карта на 1000 рублей"}',
    token: "0024a00af7c350a3a67ca168ce06502aa72772456662e38696d48b56ee9c97d9",
  },
  {
    title: "a notification of the bank's pages",
    password: "Dfsfh56dgKl",
    json: '{"TerminalKey":"1321054611234DEMO","OrderId":"201709","Success":true,"Status":"AUTHORIZED","PaymentId":8742591,"ErrorCode":"0","Amount":9855,"CardId":322264,"Pan":"430000******0777","ExpDate":"1122","RebillId":101709}',
    token: "b906d28e76c6428e37b25fcf86c0adc52c63d503013fdd632e300593d165766b",
  },
];

describe("the token of T-Bank", () => {
  it.each(VECTORS)("is that of $title, by the values sent and by the values that arrived", ({ json, password, token }) => {
    const arrived = readBankJson(Buffer.from(json));
    if (arrived.kind === "unreadable") throw new Error(arrived.problem);
    expect(tokenOf(JSON.parse(json) as Record<string, unknown>, password)).toBe(token);
    expect(tokenOf(arrived.members, password)).toBe(token);
    expect(isTokenOf(token, arrived.members, password)).toBe(true);
    expect(isTokenOf(token.toUpperCase(), arrived.members, password)).toBe(false);
    expect(isTokenOf("", arrived.members, password)).toBe(false);
  });

  it("leaves out nested members, the token itself and a password that came along", () => {
    const fields = { TerminalKey: "DemoTerm01", Amount: 1 };
    const more = { ...fields, Data: { Way: "sbp" }, Shops: [1], Token: "x", Nothing: null };
    expect(tokenOf(more, "p")).toBe(tokenOf(fields, "p"));
    expect(tokenOf({ ...fields, Password: "guess" }, "p")).toBe(tokenOf(fields, "p"));
  });

  it("counts numbers as they were written", () => {
    const written = readBankJson(Buffer.from('{"Amount":1.10,"PaymentId":12345678901234567890}'));
    const texts = { Amount: "1.10", PaymentId: "12345678901234567890" };
    expect(written.kind === "object" && tokenOf(written.members, "p")).toBe(tokenOf(texts, "p"));
  });
});
