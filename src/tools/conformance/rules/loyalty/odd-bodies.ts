import { held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { statusOf } from "../../exchanges/sent.ts";
import type { LoyaltyTill } from "../../play/loyalty-till.ts";
import type { Rule } from "../rule.ts";

const DEPTH = 5_000;

/** Bodies that make a careless server fail. */
export const loyaltyOddBodiesRule: Rule = {
  id: "loyalty/body/never-5xx",
  title: "whatever comes, the answer is no fault of the server",
  source: "decided",
  clause: "payments surface 6",
  expected: "a status from 400 to 499 for bodies of recalc that are deep, odd or long, each of which has something wrong",
  mend: "Bound depth, digits and counts where the body is read, and refuse what is beyond with 412.",
  check: async (scene) => {
    const till = await scene.loyaltyTill();
    return inTurn(
      ODD_BODIES,
      ({ name }) => name,
      async ({ name, text }) => {
        const sent = await till.send("recalc", {}, { bytes: Buffer.from(text(till)), label: name });
        const status = statusOf(sent);
        return status >= 400 && status < 500 ? held : broken(sent, "the status is none from 400 to 499");
      },
    );
  },
};

const ODD_BODIES: readonly { name: string; text(till: LoyaltyTill): string }[] = [
  { name: "a deep list", text: () => "[".repeat(DEPTH) + "]".repeat(DEPTH) },
  { name: "a price of a thousand digits", text: (till) => bodyWith(till, { price: "9".repeat(1_000) }) },
  { name: "an exponent beyond all numbers", text: (till) => bodyWith(till, { price: "1e999999999" }) },
  { name: "a quantity of a thousand decimals", text: (till) => bodyWith(till, { quantity: `0.${"1".repeat(1_000)}` }) },
  { name: "a zero byte in an id", text: (till) => bodyWith(till, { id: '"a\\u0000b"' }) },
  { name: "half a character in an id", text: (till) => bodyWith(till, { id: '"\\ud800"' }) },
  { name: "an id that is an object", text: (till) => bodyWith(till, { id: '{"$ne":null}' }) },
  { name: "__proto__", text: () => '{"__proto__":{"positions":[]}}' },
];

function bodyWith(
  till: LoyaltyTill,
  { price = "96.00", quantity = "1", id = '"goods-1"' }: { price?: string; quantity?: string; id?: string },
): string {
  const line = `{"assortment":{"meta":{"id":${id}}},"quantity":${quantity},"price":${price}}`;
  return `{"retailStore":{"meta":{"id":"${till.place.storeId}"}},"positions":[${line}]}`;
}
