import { inTurn } from "../../exchanges/check-result.ts";
import { declaresPayment, notDeclared } from "../../play/declared.ts";
import type { Group } from "../rule.ts";
import { expectDone } from "./answers.ts";
import { taken, withPosition } from "./sales.ts";

const DAY_MS = 86_400_000;

/** Correct documents of different kinds (platform-contracts 4.4, 4.5). */
export const varietiesGroup: Group = {
  id: "fiscal/variety",
  needs: ["fiscal/answer/retaildemand"],
  rules: [
    {
      id: "fiscal/variety/ways-to-pay",
      title: "every declared way to pay is registered",
      source: "public",
      clause: "platform-contracts 2.4, 4.4",
      expected:
        "200 for payment by cashSum alone, by cardSum alone, by both, and by qrSum alone, each as far as paymentTypes declares it (cash, card, cashCard, qr); members that are not used are missing",
      mend: "Treat every member of payments as optional and 0; register card and QR as non-cash.",
      check: (scene) =>
        inTurn(
          WAYS.filter(({ type }) => declaresPayment(scene.target, type) !== false),
          ({ type }) => `paid by ${type}`,
          ({ payments }) => taken(scene, (till) => till.saleBody({ payments })),
        ),
    },
    {
      id: "fiscal/variety/vat",
      title: "the rates of VAT in force are registered",
      source: "public",
      clause: "platform-contracts 4.5; fiscal-receipts 4.2",
      expected:
        "200 for positions with vat 22, 10, and 0 with vatEnabled true (the rate of 0 %), and with vatEnabled false (without VAT), for a seller under general taxation",
      mend: "Map the rate and the flag to the register's code: vatEnabled false is “without VAT”, which is another code than 0 %.",
      check: (scene) =>
        inTurn(
          [
            { vat: 22, vatEnabled: true },
            { vat: 10, vatEnabled: true },
            { vat: 0, vatEnabled: true },
            { vat: 0, vatEnabled: false },
          ],
          ({ vat, vatEnabled }) => `vat ${vat}, vatEnabled ${vatEnabled}`,
          (change) => taken(scene, (till) => withPosition(till, change)),
        ),
    },
    {
      id: "fiscal/variety/pack-and-order",
      title: "packing and a customer order may come along",
      source: "public",
      clause: "platform-contracts 4.4",
      expected:
        '200 for a position with "pack":{"name":"box","quantity":6} and a sale with a customerOrder reference; quantity stays in the position\'s own unit',
      mend: "Accept both and change nothing by them.",
      check: (scene) =>
        taken(scene, (till) => ({
          ...withPosition(till, { pack: { name: "box", quantity: 6 } }),
          customerOrder: { meta: { id: till.newId(), type: "CustomerOrder", idType: "native" } },
        })),
    },
    {
      id: "fiscal/variety/several-positions",
      title: "a sale may have many positions",
      source: "seed",
      clause: "seed, Fiscal request bodies",
      expected: "200 for a sale of 30 positions",
      mend: "Let neither the schema nor the register's buffer end at a handful of lines.",
      check: (scene) =>
        taken(scene, (till) => {
          const [position] = till.saleBody().positions as object[];
          return till.saleBody({ positions: Array.from({ length: 30 }, () => position), payments: { cashSum: "3294.00" } });
        }),
    },
    {
      id: "fiscal/variety/late-sale",
      title: "a sale may arrive late",
      source: "decided",
      clause: "platform-contracts 4.2, Replay protection",
      expected: "200 for a sale whose moment was yesterday: tills sell without a network and send later",
      mend: "Do not refuse by moment; the document's time is the register's own.",
      check: (scene) => taken(scene, (till) => till.saleBody({ moment: till.momentAt(scene.services.clock.nowMs() - DAY_MS) })),
    },
    {
      id: "fiscal/variety/free-return",
      title: "a return needs no sale and no cashier",
      source: "public",
      clause: "platform-contracts 4.4",
      expected: "200 for a return without demand and without cashier, after a sale for cash",
      mend: "Make both optional in a return; use the cashier of the open shift.",
      check: async (scene) => {
        const never = notDeclared(scene.target, "retaisalesreturn");
        if (never !== undefined) return never;
        const till = await scene.till();
        await till.sell();
        const { demand: _demand, cashier: _cashier, ...body } = till.returnBody(till.newId());
        return expectDone(await till.send("retaisalesreturn", body));
      },
    },
  ],
};

const WAYS = [
  { type: "cash", payments: { cashSum: "109.80" } },
  { type: "card", payments: { cardSum: "109.80" } },
  { type: "cashCard", payments: { cashSum: "100.00", cardSum: "9.80" } },
  { type: "qr", payments: { qrSum: "109.80" } },
];
