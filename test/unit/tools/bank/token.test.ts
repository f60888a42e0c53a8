import { describe, expect, it } from "vitest";
import { readRootFields, signedJson, tokenOf } from "../../../../src/tools/bank/tbank/token.ts";

const ORDER = "9b6f0e52-2c1d-4f7e-8a35-6d0f4f3a1c77";

/** qr-acquirers 4.2: two vectors that were made for this program, and two from the bank's own pages. */
const VECTORS: [string, string, string, string][] = [
  [
    "1",
    `{"Amount":25920,"Description":"Receipt 00031","OrderId":"${ORDER}","PayType":"O","TerminalKey":"DemoTerm01"}`,
    "s3cret-demo",
    "4bcbb065b76a21b4d40faf48e9f633383948f5b323698be45b67d267327bf3d3",
  ],
  [
    "2",
    `{"Amount":25920,"ErrorCode":"0","OrderId":"${ORDER}","PaymentId":4417000123,"Status":"CONFIRMED","Success":true,"TerminalKey":"DemoTerm01"}`,
    "s3cret-demo",
    "8f4d166583d2e0834adf5618fc9ec477f9b9c2c8d0eb96d0d53b7ced714a41f9",
  ],
  [
    "3",
    '{"TerminalKey":"MerchantTerminalKey","Amount":19200,"OrderId":"21090","Description":"Подарочная карта на 1000 рублей"}',
    "usaf8fw8fsw21g",
    "0024a00af7c350a3a67ca168ce06502aa72772456662e38696d48b56ee9c97d9",
  ],
  [
    "4",
    '{"TerminalKey":"1321054611234DEMO","OrderId":"201709","Success":true,"Status":"AUTHORIZED","PaymentId":8742591,"ErrorCode":"0",' +
      '"Amount":9855,"CardId":322264,"Pan":"430000******0777","ExpDate":"1122","RebillId":101709}',
    "Dfsfh56dgKl",
    "b906d28e76c6428e37b25fcf86c0adc52c63d503013fdd632e300593d165766b",
  ],
];

function tokenOfText(text: string, password: string): string {
  return tokenOf(readRootFields(text)?.signed ?? new Map(), password);
}

describe("the token of T-Bank", () => {
  it.each(VECTORS)("is that of vector %s", (_, text, password, token) => {
    expect(tokenOfText(text, password)).toBe(token);
  });

  it.each(VECTORS)("leaves objects, lists and itself out of vector %s", (_, text, password, token) => {
    const more = `{"Token":"wrong","DATA":{"Phone":"1","Amount":7},"Shops":[1],${text.slice(1)}`;
    expect(tokenOfText(more, password)).toBe(token);
  });

  it.each(["1e3", "1000.0", "-0", "10000000000000000000001"])("signs the number %s as it is written", (number) => {
    const written = tokenOf(new Map([["Amount", number]]), "secret");
    expect(tokenOfText(`{"Amount":${number}}`, "secret")).toBe(written);
    expect(tokenOfText(`{"DATA":{"Amount":5},"Amount":${number}}`, "secret")).toBe(written);
  });

  it("of a notification stands in it and covers each of its root scalars", () => {
    const text = signedJson({ TerminalKey: "T", Success: true, Amount: 5, Data: { nested: 1 }, NewField: "x" }, "secret");
    const { Token } = JSON.parse(text) as { Token: string };
    expect(Token).toBe(tokenOfText(text, "secret"));
    expect(Token).not.toBe(tokenOfText(text.replace('"x"', '"y"'), "secret"));
    expect(Token).toBe(tokenOfText(text.replace('"nested":1', '"nested":2'), "secret"));
  });

  it.each(["", "[]", "null", "5", '"text"', "{"])("is not looked for in %j, which is no object", (text) => {
    expect(readRootFields(text)).toBeUndefined();
  });
});
