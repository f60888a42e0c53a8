import { held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { statusOf } from "../../exchanges/sent.ts";
import type { QrTill } from "../../play/qr-till.ts";
import type { Rule } from "../rule.ts";

/** Bodies that make a careless server fail. */
export const oddBodiesRule: Rule = {
  id: "qr/body/never-5xx",
  title: "whatever comes, the answer is no fault of the server",
  source: "seed",
  clause: "seed, QR payment, Errors; platform-contracts 5.6",
  expected: "a status from 400 to 499 for bodies that are deep, odd or long: answers of 500 and above are outside of the contract",
  mend: "Catch what is thrown and answer 424 with 1007 then; the till asks for the state.",
  check: async (scene) => {
    const till = await scene.qrTill();
    return inTurn(
      ODD_BODIES,
      ({ name }) => name,
      async ({ bytes }) => {
        const sent = await till.send("create", till.newPayment(), { bytes: bytes(till) });
        const status = statusOf(sent);
        return status >= 400 && status < 500 ? held : broken(sent, "the status is none from 400 to 499");
      },
    );
  },
};

const DEPTH = 5_000;

const ODD_BODIES: readonly { name: string; bytes(till: QrTill): Buffer }[] = [
  { name: "a deep list", bytes: () => Buffer.from("[".repeat(DEPTH) + "]".repeat(DEPTH)) },
  { name: "a number of a thousand digits", bytes: (till) => withAmount(till, "9".repeat(1_000)) },
  { name: "an exponent beyond all numbers", bytes: (till) => withAmount(till, "1e999999999") },
  { name: "a zero byte in an id", bytes: (till) => withMembers(till, { operationId: "a\u0000b" }) },
  {
    name: "half a character in an id",
    bytes: (till) => Buffer.from(withMembers(till, { operationId: "HALF" }).toString().replace("HALF", "\\ud800")),
  },
  { name: "__proto__", bytes: () => Buffer.from('{"__proto__":{"amount":1000,"operationId":"1"}}') },
  { name: "ids that are objects", bytes: (till) => withMembers(till, { accountId: { $ne: null }, retailStoreId: {} }) },
];

function withMembers(till: QrTill, changes: Record<string, unknown>): Buffer {
  const { operationId, amount } = till.newPayment();
  const { accountId } = till.account.installation;
  return Buffer.from(JSON.stringify({ amount, operationId, accountId, retailStoreId: till.storeId, ...changes }));
}

function withAmount(till: QrTill, digits: string): Buffer {
  return Buffer.from(withMembers(till, { amount: "DIGITS" }).toString().replace('"DIGITS"', digits));
}
