import { readQrState } from "../../../sandbox/caller/qr-answer.ts";
import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { statesUntilEnd } from "../../play/qr-day.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { allOf, byAmounts, createdPayment, expectDone, expectRefused, expectState } from "./answers.ts";

/** With this amount, the simulated bank receives the payment while the payment is being cancelled (payments surface 7). */
const PAID_WHILE_CANCELLING_KOPECKS = 10_06;
const LATER_CALLS = 3;

/** Paid payments and their refunds. `QrDay` creates most of the payments first and waits for their ends together. */
export const qrPaidGroup: Group = {
  id: "qr/paid",
  needs: ["qr/token/accepted", "qr/error/shape", "qr/create/answer", "qr/state/waiting"],
  rules: [
    {
      id: "qr/paid/done",
      title: "a payment that is paid is done",
      source: "seed",
      clause: "seed, QR payment; payments surface 7",
      expected: "DONE for state within 10 s of create of an amount that the simulated bank's buyer pays after a second",
      mend: "Ask the bank, or hear its notification; answer DONE once the money is there.",
      check: byAmounts(async (scene) => {
        const [last] = (await scene.qrDay()).of("done").states.slice(-1);
        return last === undefined ? held : expectState(last, "DONE");
      }),
    },
    {
      id: "qr/paid/stays",
      title: "what is done stays done",
      source: "decided",
      clause: "platform-contracts 5.4; qr-acquirers 2",
      expected: "DONE for each later state of a payment for which DONE was answered",
      mend: "Never take back what a till was told: it has printed the receipt.",
      needs: ["qr/paid/done"],
      check: byAmounts(async (scene) => {
        const till = await scene.qrTill();
        const payment = (await scene.qrDay()).paid("done");
        const later = Array.from({ length: LATER_CALLS }, (_, nth) => nth + 1);
        return inTurn(
          later,
          (nth) => `later call ${nth}`,
          async () => expectState(await till.send("state", payment), "DONE"),
        );
      }),
    },
    {
      id: "qr/paid/declined",
      title: "a payment that the bank declines is rejected",
      source: "decided",
      clause: "platform-contracts 5.4; payments surface 7",
      expected: "REJECTED for state within 10 s of create of an amount that ends in 01, which the simulated bank declines after a second",
      mend: "Map the bank's final refusals to REJECTED.",
      check: byAmounts(async (scene) => {
        const [last] = (await scene.qrDay()).of("declined").states.slice(-1);
        return last === undefined ? held : expectState(last, "REJECTED");
      }),
    },
    {
      id: "qr/paid/while-cancelling",
      title: "a buyer who pays while a cancel runs gets the money back",
      source: "decided",
      clause: "platform-contracts 5.4; qr-acquirers 7.2",
      expected: "REJECTED in the end, and DONE never, for a payment that ends in 06, which is paid while its cancel runs",
      mend: "Refund what was paid after a cancel by yourself: the till that cancels has no sale for the money.",
      check: byAmounts(async (scene) => {
        const till = await scene.qrTill();
        const payment = await createdPayment(till, PAID_WHILE_CANCELLING_KOPECKS);
        await till.send("cancel", payment);
        const states = await statesUntilEnd(till, payment, scene.services.limits.paidMs);
        const done = states.find((sent) => isDone(readQrState(sent.exchange)));
        if (done !== undefined) return broken(done, "DONE was answered after a cancel");
        const last = states.at(-1);
        return last === undefined ? held : expectState(last, "REJECTED");
      }),
    },
    {
      id: "qr/paid/refund-part",
      title: "a part of the money goes back",
      source: "public",
      clause: "platform-contracts 5.3",
      expected: "200 for cancel of a paid payment with a part of its amount",
      mend: "After payment cancel is a refund of the amount that it names.",
      needs: ["qr/paid/done"],
      check: byAmounts(async (scene) => refundsAnswered200(scene, "part", [8_00])),
    },
    {
      id: "qr/paid/refund-whole",
      title: "all of the money goes back",
      source: "public",
      clause: "platform-contracts 5.3",
      expected: "200 for cancel of a paid payment with its whole amount",
      mend: "After payment cancel is a refund of the amount that it names.",
      needs: ["qr/paid/done"],
      check: byAmounts(async (scene) => refundsAnswered200(scene, "whole", [30_00])),
    },
    {
      id: "qr/paid/done-after-refund",
      title: "what was told done stays done after a refund",
      source: "decided",
      clause: "qr-acquirers 2",
      expected: "DONE for state after a refund of a part and after one of the whole: the sale exists, and the refund is a later event",
      mend: "Answer DONE for refunded payments for which DONE was answered before.",
      needs: ["qr/paid/refund-part", "qr/paid/refund-whole"],
      check: byAmounts(async (scene) => {
        const till = await scene.qrTill();
        const day = await scene.qrDay();
        return inTurn(
          ["part", "whole"] as const,
          (role) => role,
          async (role) => expectState(await till.send("state", day.paid(role)), "DONE"),
        );
      }),
    },
    {
      id: "qr/paid/refund-excess",
      title: "no more than was paid goes back",
      source: "decided",
      clause: "platform-contracts 5.5; payments surface 5",
      expected: "412 and 1004 for cancel with more than the amount, and for one with more than remains after a refund",
      mend: "Sum the refunds up, those that are on their way too, and refuse what is over the amount.",
      needs: ["qr/paid/refund-part"],
      check: byAmounts(async (scene) => {
        const till = await scene.qrTill();
        const payment = (await scene.qrDay()).paid("excess");
        const refund = async (amount: number) => till.send("cancel", { ...payment, amount });
        const over = expectRefused(await refund(payment.amount + 1), 412, 1004);
        if (over.kind !== "held") return over;
        const part = expectDone(await refund(30_00));
        return part.kind === "held" ? expectRefused(await refund(20_00), 412, 1004) : part;
      }),
    },
    {
      id: "qr/paid/refund-twice",
      title: "a second equal refund within a minute is the same one",
      source: "decided",
      clause: "platform-contracts 5.5; payments surface 5",
      expected:
        "200 for a refund of 30 roubles of 50 that comes twice, 200 for one of the 20 that remain, and then 412 and 1004 for one more kopeck: a till repeats what was not answered",
      mend: "Take an equal refund within 60 s for a repeat, and answer it as the first.",
      needs: ["qr/paid/refund-excess"],
      check: byAmounts(async (scene) => {
        const all = await refundsAnswered200(scene, "twice", [30_00, 30_00, 20_00]);
        if (all.kind !== "held") return all;
        const till = await scene.qrTill();
        const payment = (await scene.qrDay()).paid("twice");
        return expectRefused(await till.send("cancel", { ...payment, amount: 1 }), 412, 1004);
      }),
    },
    {
      id: "qr/paid/refund-refused",
      title: "a refund that the bank refuses is told",
      source: "decided",
      clause: "payments surface 5, 7",
      expected: "424 and 1005 for cancel of a paid payment that ends in 07, which the simulated bank does not give back",
      mend: "Answer 424 with 1005 when the bank refuses a refund; 200 says that the money goes back.",
      needs: ["qr/paid/done"],
      check: byAmounts(async (scene) => {
        const till = await scene.qrTill();
        const payment = (await scene.qrDay()).paid("unreturnable");
        return expectRefused(await till.send("cancel", payment), 424, 1005);
      }),
    },
  ],
};

async function refundsAnswered200(scene: Scene, role: "part" | "whole" | "twice", amounts: readonly number[]): Promise<CheckResult> {
  const till = await scene.qrTill();
  const payment = (await scene.qrDay()).paid(role);
  const results: CheckResult[] = [];
  for (const amount of amounts) results.push(expectDone(await till.send("cancel", { ...payment, amount })));
  return allOf(...results);
}

function isDone(answer: ReturnType<typeof readQrState>): boolean {
  return answer.kind === "status" && answer.status === "DONE";
}
