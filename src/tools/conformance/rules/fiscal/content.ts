import { inTurn } from "../../exchanges/check-result.ts";
import type { Sent } from "../../exchanges/sent.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { expectDone, expectRefused } from "./answers.ts";

/** Above the 1 MiB that a server accepts (platform-contracts 7), but below the 2 MiB limit of the proxy in the project's README. */
const TOO_LARGE_BYTES = 1_100_000;
const LARGE_BYTES = 900_000;

/** Bodies that are wrong as a whole, and impossible values (interface 5, 6). */
export const contentGroup: Group = {
  id: "fiscal/content",
  needs: ["fiscal/error/shape", "fiscal/signature/accepted"],
  rules: [
    {
      id: "fiscal/content/no-json",
      title: "a signed body that is no JSON is refused as broken",
      source: "decided",
      clause: "interface 6, Error codes",
      expected: "400 and code 50400 for a truncated body, an empty one, and one whose bytes are no UTF-8",
      mend: "Catch the parser's error; decode UTF-8 strictly (new TextDecoder with fatal, or the like).",
      check: async (scene) => {
        const till = await scene.till();
        return inTurn(
          [Buffer.from('{"name": "'), Buffer.alloc(0), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
          (bytes) => (bytes.length === 0 ? "an empty body" : `a body of ${bytes.length} bytes`),
          async (bytes) => expectRefused(await till.send("retaildemand", bytes), 400, 50400),
        );
      },
    },
    {
      id: "fiscal/content/no-object",
      title: "a signed body that is no object is refused",
      source: "decided",
      clause: "interface 5, Order",
      expected: "412 and 999 for the signed bodies [], 12 and null, at the path of an operation",
      mend: "Check that the parsed body is an object before its fields are read: null in particular.",
      check: async (scene) => {
        const till = await scene.till();
        return inTurn(
          ["[]", "12", "null"],
          (text) => `the body ${text}`,
          async (text) => expectRefused(await till.send("retaildemand", Buffer.from(text)), 412, 999),
        );
      },
    },
    {
      id: "fiscal/content/type",
      title: "a body that is not declared as JSON is refused",
      source: "decided",
      clause: "interface 6, Error codes",
      expected: "415 and code 50415 for Content-Type: text/plain",
      mend: "Answer 415 by the contract's error function where Content-Type is not application/json.",
      check: async (scene) => {
        const till = await scene.till();
        return expectRefused(await till.send("retaildemand", {}, { contentType: "text/plain" }), 415, 50415);
      },
    },
    {
      id: "fiscal/content/too-large",
      title: "a body above 1 MiB is refused",
      source: "decided",
      clause: "interface 4 and 6, Error codes",
      expected: "413 and code 50413 for a signed body above 1 MiB, also when gzip makes the body small on the wire",
      mend: "Bound what is read and what is unpacked; answer 413 once the bound is passed, before the signature is looked at.",
      check: async (scene) => {
        const till = await scene.till();
        const { operation } = till.smallest();
        const body = Buffer.from(JSON.stringify({ ...till.smallest().body, padding: "x".repeat(TOO_LARGE_BYTES) }));
        return inTurn(
          [false, true],
          (gzip) => (gzip ? "packed with gzip" : "as it is"),
          async (gzip) => expectRefused(await till.send(operation, body, { gzip }), 413, 50413),
        );
      },
    },
    {
      id: "fiscal/content/large",
      title: "a body of 900 KB is taken",
      source: "decided",
      clause: "interface 4",
      expected: "200 for a signed document whose body is padded to 900 KB: bodies up to 1 MiB are accepted",
      mend: "Raise the body limit of the framework and of the proxy before it.",
      check: async (scene) => {
        const till = await scene.till();
        const { operation, body } = till.smallest();
        return expectDone(await till.send(operation, { ...body, padding: "x".repeat(LARGE_BYTES) }));
      },
    },
    {
      id: "fiscal/content/ids",
      title: "an id that cannot be one is refused",
      source: "decided",
      clause: "interface 5, Order",
      expected: "412 and 999 when meta.id is empty, longer than 64 characters, or has others than A–Z a–z 0–9 -",
      mend: "Check ids against ^[A-Za-z0-9-]{1,64}$ before they become part of a key or a file name.",
      check: async (scene) => {
        const till = await scene.till();
        return inTurn(
          ["", "a".repeat(65), "../../etc", "a b"],
          (id) => `meta.id "${id}"`,
          async (id) => expectRefused(await till.send(till.smallest().operation, { ...till.smallest().body, meta: { id } }), 412, 999),
        );
      },
    },
    {
      id: "fiscal/content/numbers",
      title: "amounts, quantities and moments that cannot be are refused",
      source: "decided",
      clause: "interface 6, Error codes",
      expected: "412 and 999 for a sum of 0, −1 or “ten”, a quantity of 0, a negative price, and a moment that is no date",
      mend: "Parse numbers from their text and check the range; check that a moment is a real date (31 February is none).",
      check: async (scene) => {
        const till = await scene.till();
        const withPosition = (change: object) =>
          till.saleBody({ positions: [{ ...(till.saleBody().positions as object[])[0], ...change }] });
        const cases = [
          ...["0", "-1", "ten"].map((sum) => ({
            name: `sum "${sum}"`,
            operation: "retaildrawercashin" as const,
            body: till.cashBody("in", 1, { sum }),
          })),
          { name: "quantity 0", operation: "retaildemand" as const, body: withPosition({ quantity: 0 }) },
          { name: 'price "-5.00"', operation: "retaildemand" as const, body: withPosition({ price: "-5.00" }) },
          { name: "31 February", operation: "retaildemand" as const, body: till.saleBody({ moment: "2026-02-31 10:00:00" }) },
        ];
        return inTurn(
          cases,
          ({ name }) => name,
          async ({ operation, body }) => expectRefused(await till.send(operation, body), 412, 999),
        );
      },
    },
    {
      id: "fiscal/content/discount",
      title: "a discount that is no percentage is refused",
      source: "decided",
      clause: "interface 6, Error codes; platform-contracts 4.4, 4.5",
      expected: '412 and 999 for "discount":"ten" and for an object there: what cannot be read is never taken for no discount',
      mend: "Parse the discount as a decimal text and refuse what is none; absent and null are 0.",
      check: (scene) =>
        inTurn(["ten", { percent: "10" }], asJson, async (discount) => expectRefused(await sold(scene, { discount }), 412, 999)),
    },
    {
      id: "fiscal/content/vat",
      title: "a rate of VAT that cannot be is refused",
      source: "decided",
      clause: "interface 6, Error codes and VAT 5 and 7 %; fiscal-receipts 8, VAT decision",
      expected:
        '412 and 51020 for "vat":999, a rate that no register has, and 412 and 999 for "vat":"ten" and an object (either code is taken in each)',
      mend: "Map the rate to the register's code, and refuse in the cashier's words what has none; never fall back to another rate.",
      check: (scene) =>
        inTurn([999, "ten", { rate: 10 }], asJson, async (vat) => expectRefused(await sold(scene, { vat }), 412, 51020, 999)),
    },
    {
      id: "fiscal/content/quantity-decimals",
      title: "a quantity with more than six decimals is refused",
      source: "decided",
      clause: "interface 6, Quantity; fiscal-receipts 5, rule 1",
      expected: "412 and 999 for a quantity of 2.0000001: it is read exactly, and never rounded silently",
      mend: "Read the quantity from the number's own text, count its decimals, and refuse the seventh.",
      check: async (scene) => expectRefused(await sold(scene, { quantity: 2.0000001 }), 412, 999),
    },
  ],
};

async function sold(scene: Scene, change: object): Promise<Sent> {
  const till = await scene.till();
  const body = till.saleBody();
  const positions = (body.positions as object[]).map((position) => ({ ...position, ...change }));
  return till.send("retaildemand", { ...body, positions });
}

function asJson(value: unknown): string {
  return JSON.stringify(value);
}
