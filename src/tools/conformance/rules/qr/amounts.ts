import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import type { QrChange, QrPayment, QrTill } from "../../play/qr-till.ts";
import type { Group, Rule } from "../rule.ts";
import { dataOf, expectCreated, expectRefused } from "./answers.ts";

/** Amounts of a payment: whole kopecks, from 1 to the limit of the bank (platform-contracts 5.3; payments surface 5). */
export const qrAmountsGroup: Group = {
  id: "qr/amount",
  needs: ["qr/token/accepted", "qr/error/shape"],
  rules: [
    notAllowed("zero", "an amount of nothing", ["0", "0.0"]),
    notAllowed("negative", "an amount below zero", ["-1000"]),
    notAllowed("fraction", "a part of a kopeck", ["1000.5", "1e-1"]),
    notAllowed("over-limit", "an amount over every bank's limit", ["900000000000000", "1e30"]),
    {
      id: "qr/amount/notation",
      title: "a number is read by its value, however it is written",
      source: "decided",
      clause: "payments surface 5",
      expected: "create with amount 1e3, then with 1000.0, then with 1000, and the same operationId: 200 with the same data each time",
      mend: "Compare amounts as numbers of kopecks, not as the texts they were written as.",
      needs: ["qr/create/answer", "qr/create/repeat"],
      check: async (scene) => {
        const till = await scene.qrTill();
        const payment = till.newPayment(1000);
        const send = (text: string) => till.send("create", payment, written(till, payment, text));
        const first = await send("1e3");
        const created = expectCreated(first);
        if (created.kind !== "held") return created;
        return inTurn(
          ["1000.0", "1000"],
          (text) => text,
          async (text) => {
            const again = await send(text);
            const result = expectCreated(again);
            if (result.kind !== "held") return result;
            return dataOf(again) === dataOf(first) ? held : broken(again, "data is another one than before");
          },
        );
      },
    },
  ],
};

function notAllowed(name: string, what: string, texts: readonly string[]): Rule {
  return {
    id: `qr/amount/${name}`,
    title: `${what} cannot be paid`,
    source: "decided",
    clause: "platform-contracts 5.3; payments surface 5",
    expected: `412 and 1004 for create with amount ${texts.join(" or ")}`,
    mend: "Take whole kopecks from 1 to the bank's limit, and refuse other numbers with 1004 before anything is asked of the bank.",
    check: (scene): Promise<CheckResult> =>
      inTurn(
        texts,
        (text) => text,
        async (text) => {
          const till = await scene.qrTill();
          const payment = till.newPayment();
          return expectRefused(await till.send("create", payment, written(till, payment, text)), 412, 1004);
        },
      ),
  };
}

/** Returns the change that writes exactly these characters as the amount. */
function written({ account, storeId }: QrTill, { operationId }: QrPayment, amount: string): QrChange {
  const { accountId } = account.installation;
  const others = JSON.stringify({ operationId, accountId, retailStoreId: storeId });
  return { bytes: Buffer.from(`{"amount":${amount},${others.slice(1)}`) };
}
