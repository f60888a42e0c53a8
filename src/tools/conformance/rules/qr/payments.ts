import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, type Sent } from "../../exchanges/sent.ts";
import { UNPAID_KOPECKS } from "../../play/qr-till.ts";
import type { Group } from "../rule.ts";
import { allOf, byAmounts, createdPayment, dataOf, expectCreated, expectDone, expectRefused, expectState } from "./answers.ts";

/** The simulated bank refuses the first amount, and is unreachable for the second (payments surface 7). */
const REFUSED_KOPECKS = 10_04;
const UNREACHABLE_KOPECKS = 10_05;

/** Rules about create, with payments that nobody pays (platform-contracts 5.3, 5.5). */
export const qrCreateGroup: Group = {
  id: "qr/create",
  needs: ["qr/token/accepted", "qr/error/shape"],
  rules: [
    {
      id: "qr/create/answer",
      title: "create is answered with the text of a code",
      source: "seed",
      clause: "seed, QR payment; platform-contracts 5.3",
      expected: "200 for create of an ordinary amount, and data a text that can be drawn as a code: not a picture, not empty",
      mend: "Answer the text that the bank gives for the code; give the test account a bank (with this project's server: DEFAULT_ACQUIRER=simulated).",
      check: async (scene) => {
        const till = await scene.qrTill();
        const sent = await till.send("create", till.newPayment());
        const result = expectCreated(sent);
        if (result.kind !== "held") return result;
        return /^\s*<|^data:image/.test(dataOf(sent)) ? broken(sent, "data is a picture") : held;
      },
    },
    {
      id: "qr/create/operation",
      title: "create's answer names the operation that the caller has named",
      source: "decided",
      clause: "platform-contracts 5.3",
      expected: "operationId of the answer to create is that of the request",
      mend: "Answer the caller's operationId, not an id of your own or of the bank.",
      needs: ["qr/create/answer"],
      check: async (scene) => {
        const till = await scene.qrTill();
        const payment = till.newPayment();
        return sameOperation(await till.send("create", payment), payment.operationId);
      },
    },
    {
      id: "qr/create/sum",
      title: "a code that carries a sum carries the amount",
      source: "decided",
      clause: "platform-contracts 5.3; qr-acquirers 1",
      expected: "sum in data, where there is one, is the amount in kopecks: the buyer pays what the code says",
      mend: "Compare the sum in the code with the amount before you answer; cancel the bank's payment when they differ.",
      needs: ["qr/create/answer"],
      check: async (scene) => {
        const till = await scene.qrTill();
        const sent = await till.send("create", till.newPayment(UNPAID_KOPECKS));
        const sum = /[?&]sum=(\d+)/.exec(dataOf(sent))?.[1];
        return sum === undefined || Number(sum) === UNPAID_KOPECKS
          ? held
          : broken(sent, `the code says ${sum}, the amount is ${UNPAID_KOPECKS}`);
      },
    },
    {
      id: "qr/create/repeat",
      title: "the same create again gives the same code",
      source: "decided",
      clause: "platform-contracts 5.5",
      expected: "200 and the same data when create comes again with the same operationId and amount, and when three come at once",
      mend: "Keep the code with the operation, and give it again; let no second payment begin at the bank.",
      needs: ["qr/create/answer"],
      check: async (scene) => {
        const till = await scene.qrTill();
        const payment = till.newPayment();
        const first = dataOf(await till.send("create", payment));
        const others = await Promise.all([1, 2].map(() => till.send("create", payment)));
        for (const again of others) {
          const result = expectCreated(again);
          if (result.kind !== "held") return result;
          if (dataOf(again) !== first) return broken(again, "data is another one than before");
        }
        return held;
      },
    },
    {
      id: "qr/create/conflict",
      title: "another amount of the same operation is refused",
      source: "decided",
      clause: "platform-contracts 5.5; payments surface 5",
      expected: "409 and 1003 for create with an operationId that has another amount",
      mend: "Compare the amount before you answer the code that you have.",
      needs: ["qr/create/answer"],
      check: async (scene) => {
        const till = await scene.qrTill();
        const { operationId, amount } = await createdPayment(till);
        return expectRefused(await till.send("create", { operationId, amount: amount + 100 }), 409, 1003);
      },
    },
    {
      id: "qr/create/refused",
      title: "what the bank refuses is told",
      source: "decided",
      clause: "payments surface 5, 7",
      expected: "424 and 1005 for create of an amount that ends in 04, which the simulated bank refuses",
      mend: "Tell the bank's refusal apart from a bank that does not answer: after a refusal there is no payment.",
      needs: ["qr/create/answer"],
      check: byAmounts(async (scene) => {
        const till = await scene.qrTill();
        return expectRefused(await till.send("create", till.newPayment(REFUSED_KOPECKS)), 424, 1005);
      }),
    },
    {
      id: "qr/create/unreachable",
      title: "a bank that cannot be reached is told",
      source: "decided",
      clause: "payments surface 5, 7",
      expected: "424 and 1007 within 5 s for create of an amount that ends in 05, for which the simulated bank cannot be reached",
      mend: "Bound the time for the bank, and answer 424 with 1007; the contract has no 5xx.",
      needs: ["qr/create/answer"],
      check: byAmounts(async (scene) => {
        const till = await scene.qrTill();
        return expectRefused(await till.send("create", till.newPayment(UNREACHABLE_KOPECKS)), 424, 1007);
      }),
    },
  ],
};

export const qrStateGroup: Group = {
  id: "qr/state",
  needs: ["qr/token/accepted", "qr/error/shape"],
  rules: [
    {
      id: "qr/state/unknown",
      title: "an operation that nobody has begun is unknown",
      source: "decided",
      clause: "platform-contracts 5.5; payments surface 5",
      expected: "404 and 1002 for state and for cancel of an operationId that no create has named",
      mend: "Look the operation up, and answer 404 where there is none.",
      check: async (scene) => {
        const till = await scene.qrTill();
        return inTurn(
          ["state", "cancel"] as const,
          (call) => call,
          async (call) => expectRefused(await till.send(call, till.newPayment()), 404, 1002),
        );
      },
    },
    {
      id: "qr/state/waiting",
      title: "a payment that waits for its buyer is in progress",
      source: "seed",
      clause: "seed, QR payment; platform-contracts 5.4",
      expected: "200 and status IN_PROGRESS for state of a payment whose code was just shown",
      mend: "Answer IN_PROGRESS, DONE or REJECTED, written so.",
      needs: ["qr/create/answer"],
      check: async (scene) => {
        const till = await scene.qrTill();
        const payment = await createdPayment(till);
        return expectState(await till.send("state", payment), "IN_PROGRESS");
      },
    },
    {
      id: "qr/state/operation",
      title: "state's answer names the operation",
      source: "seed",
      clause: "seed, QR payment; platform-contracts 5.3",
      expected: "operationId of the answer to state is that of the request",
      mend: "Put operationId into the answer beside status.",
      needs: ["qr/state/waiting"],
      check: async (scene) => {
        const till = await scene.qrTill();
        const payment = await createdPayment(till);
        return sameOperation(await till.send("state", payment), payment.operationId);
      },
    },
    {
      id: "qr/state/refused",
      title: "what the bank has refused is no payment",
      source: "decided",
      clause: "payments surface 5",
      expected: "404 and 1002 for state of an operation whose create was refused with 424 and 1005",
      mend: "Free the operation when the bank refuses: its till may begin it anew.",
      needs: ["qr/create/refused", "qr/state/unknown"],
      check: byAmounts(async (scene) => {
        const till = await scene.qrTill();
        const payment = till.newPayment(REFUSED_KOPECKS);
        await till.send("create", payment);
        return expectRefused(await till.send("state", payment), 404, 1002);
      }),
    },
    {
      id: "qr/state/unreachable",
      title: "what may exist at the bank goes on",
      source: "decided",
      clause: "payments surface 5",
      expected: "200 and IN_PROGRESS for state of an operation whose create was answered 424 and 1007: the bank may have made the payment",
      mend: "Keep the operation until the bank has told what became of it; never answer 404 or REJECTED for what is not known.",
      needs: ["qr/create/unreachable", "qr/state/waiting"],
      check: byAmounts(async (scene) => {
        const till = await scene.qrTill();
        const payment = till.newPayment(UNREACHABLE_KOPECKS);
        await till.send("create", payment);
        return expectState(await till.send("state", payment), "IN_PROGRESS");
      }),
    },
  ],
};

export const qrCancelGroup: Group = {
  id: "qr/cancel",
  needs: ["qr/token/accepted", "qr/error/shape", "qr/state/waiting"],
  rules: [
    {
      id: "qr/cancel/amount",
      title: "before payment the whole amount is cancelled",
      source: "decided",
      clause: "platform-contracts 5.3; payments surface 5",
      expected: "412 and 1004 for cancel of a payment that waits, with another amount than create's",
      mend: "Compare the amount: before payment nothing can be given back in part.",
      check: async (scene) => {
        const till = await scene.qrTill();
        const { operationId, amount } = await createdPayment(till);
        return inTurn([amount - 100, amount + 100], String, async (other) =>
          expectRefused(await till.send("cancel", { operationId, amount: other }), 412, 1004),
        );
      },
    },
    {
      id: "qr/cancel/rejected",
      title: "a payment that is cancelled before it is paid ends rejected",
      source: "decided",
      clause: "platform-contracts 5.4; payments surface 5",
      expected: "200 for cancel of a payment that waits, and REJECTED for state afterwards",
      mend: "Cancel at the bank, or watch it until its end; the till hears REJECTED in both cases.",
      check: async (scene) => {
        const till = await scene.qrTill();
        const payment = await createdPayment(till);
        const cancelled = expectDone(await till.send("cancel", payment));
        return cancelled.kind === "held" ? expectState(await till.send("state", payment), "REJECTED") : cancelled;
      },
    },
    {
      id: "qr/cancel/again",
      title: "cancel of what is rejected is no error",
      source: "decided",
      clause: "payments surface 5",
      expected: "200 when cancel comes again, because the answer to the first one may have been lost",
      mend: "Answer 200 for cancel of a rejected payment.",
      needs: ["qr/cancel/rejected"],
      check: async (scene) => {
        const till = await scene.qrTill();
        const payment = await createdPayment(till);
        return allOf(expectDone(await till.send("cancel", payment)), expectDone(await till.send("cancel", payment)));
      },
    },
  ],
};

export const qrAccountsGroup: Group = {
  id: "qr/account",
  needs: ["qr/token/accepted", "qr/error/shape", "qr/create/answer", "qr/state/waiting"],
  rules: [
    {
      id: "qr/account/unknown",
      title: "an account that the server has never heard of is refused",
      source: "decided",
      clause: "platform-contracts 5.2, 5.6",
      expected: "403 and 1001 for create with an accountId on which nothing was ever installed",
      mend: "The token names no account: look whether accountId is one where the solution is active.",
      check: async (scene) => {
        const till = await scene.qrTill();
        const accountId = scene.services.chance.uuid();
        return expectRefused(await till.send("create", till.newPayment(), { body: { accountId } }), 403, 1001);
      },
    },
    {
      id: "qr/account/stopped",
      title: "an account on which the solution is stopped is refused",
      source: "decided",
      clause: "platform-contracts 5.2; payments surface 5",
      expected: "403 and 1001 for create after Suspend, and after Uninstall",
      mend: "Take payments for active accounts only.",
      check: (scene) =>
        inTurn(
          ["Suspend", "Uninstall"],
          (cause) => `after ${cause}`,
          async (cause) => {
            const account = await scene.installedAccount();
            const till = await scene.newQrTill(account);
            await account.deactivate(cause);
            return expectRefused(await till.send("create", till.newPayment()), 403, 1001);
          },
        ),
    },
    {
      id: "qr/account/other-store",
      title: "a payment belongs to its point of sale",
      source: "decided",
      clause: "platform-contracts 5.3; payments surface 5",
      expected: "404 and 1002 for state and cancel with another retailStoreId than create's",
      mend: "Compare the point of sale as well as the operation.",
      check: async (scene) => {
        const till = await scene.qrTill();
        const payment = await createdPayment(till);
        const body = { retailStoreId: scene.services.chance.uuid() };
        return inTurn(
          ["state", "cancel"] as const,
          (call) => call,
          async (call) => expectRefused(await till.send(call, payment, { body }), 404, 1002),
        );
      },
    },
    {
      id: "qr/account/other-account",
      title: "an operation belongs to its account",
      source: "decided",
      clause: "payments surface 5",
      expected:
        "404 and 1002 for state of an operationId that only another account has begun, and 200 for that account's own create with it, of another amount",
      mend: "Make operationId unique within an account, and look for it there only.",
      check: async (scene) => {
        const { operationId, amount } = await createdPayment(await scene.qrTill());
        const other = await scene.newQrTill(await scene.installedAccount());
        const unknown = expectRefused(await other.send("state", { operationId, amount }), 404, 1002);
        return unknown.kind === "held" ? expectCreated(await other.send("create", { operationId, amount: amount + 100 })) : unknown;
      },
    },
  ],
};

function sameOperation(sent: Sent, operationId: string): CheckResult {
  return objectOf(sent)?.operationId === operationId ? held : broken(sent, "operationId is not the request's");
}
