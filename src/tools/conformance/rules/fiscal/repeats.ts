import { held, inTurn } from "../../exchanges/check-result.ts";
import { declaredOperations } from "../../play/declared.ts";
import type { Group } from "../rule.ts";
import { expectDone, expectNext, expectRefused, expectSameAnswer } from "./answers.ts";
import { CHANGED_REPEATS } from "./repeat-changed.ts";
import { KEY_REPEATS } from "./repeat-keys.ts";

const BASE = "fiscal/repeat/same-answer";
const MEND_JOURNAL =
  "Keep each operation under the key (account, operation, meta.id; for shifts retailShift.meta.id) in durable storage: record the intention before the register is asked, the answer after it, and send that answer again.";

/** Repeats by a till, a network or the platform. Nothing may be registered twice (platform-contracts 4.8, interface 5). */
export const repeatsGroup: Group = {
  id: "fiscal/repeat",
  needs: ["fiscal/answer/retaildemand"],
  rules: [
    {
      id: BASE,
      title: "the same document again gets the same answer",
      source: "decided",
      clause: "interface 5, Idempotency; platform-contracts 4.8",
      expected: "the stored answer byte for byte, receipt included, for a sale, a return, cash in and cash out that come a second time",
      mend: MEND_JOURNAL,
      check: async (scene) => {
        const till = await scene.till();
        const sale = till.saleBody();
        const cases = [
          { operation: "retaildemand" as const, body: sale },
          { operation: "retaisalesreturn" as const, body: till.returnBody((sale.meta as { id: string }).id) },
          { operation: "retaildrawercashin" as const, body: till.cashBody("in", 10_00) },
          { operation: "retaildrawercashout" as const, body: till.cashBody("out", 1_00) },
        ];
        const declared = declaredOperations(scene.target);
        return inTurn(
          cases.filter(({ operation }) => declared.includes(operation)),
          ({ operation }) => operation,
          async ({ operation, body }) => {
            const first = await till.send(operation, body);
            const done = expectDone(first);
            return done.kind === "held" ? expectSameAnswer(first, await till.send(operation, body)) : done;
          },
        );
      },
    },
    {
      id: "fiscal/repeat/registered-once",
      title: "a repeat registers nothing",
      source: "decided",
      clause: "interface 5, Idempotency; platform-contracts 4.8",
      expected: "after a sale that came three times, the next sale's fiscalDocNumber is one higher",
      mend: MEND_JOURNAL,
      check: async (scene) => {
        const till = await scene.till();
        const body = till.saleBody();
        const first = await till.sell(body);
        for (let again = 0; again < 2; again += 1) await till.send("retaildemand", body);
        return expectNext(first, await till.sell());
      },
    },
    {
      id: "fiscal/repeat/written-differently",
      title: "the order of keys and white space make no other document",
      source: "decided",
      clause: "interface 6, Same content",
      expected: "the stored answer for the same sale with its keys in another order and with line breaks",
      mend: "Compare what was read, not the bytes: hash a canonical form of the body.",
      needs: [BASE],
      check: async (scene) => {
        const till = await scene.till();
        const body = till.saleBody();
        const first = await till.sell(body);
        const reversed = Object.fromEntries(Object.entries(body).reverse());
        return expectSameAnswer(first, await till.send("retaildemand", Buffer.from(JSON.stringify(reversed, undefined, 2))));
      },
    },
    {
      id: "fiscal/repeat/other-content",
      title: "a known id with other content is refused",
      source: "decided",
      clause: "interface 5, Idempotency; platform-contracts 4.7",
      expected: "409 and 50002 for a sale with the id of a registered one and another quantity and payment",
      mend: "Keep a hash of the content with the key, and compare.",
      needs: ["fiscal/error/shape"],
      check: async (scene) => {
        const till = await scene.till();
        const body = till.saleBody();
        await till.sell(body);
        const positions = (body.positions as object[]).map((position) => ({ ...position, quantity: 3 }));
        return expectRefused(await till.send("retaildemand", { ...body, positions, payments: { cashSum: "164.70" } }), 409, 50002);
      },
    },
    ...CHANGED_REPEATS,
    {
      id: "fiscal/repeat/other-id-type",
      title: "the same sale under the other type of id is refused",
      source: "decided",
      clause: "interface 6, Same content",
      expected:
        "409 and 50002 (50003 and 50004 are taken too) for a sale that equals a registered one in store, shift, name, moment and totals and has another id with the other idType (native, sync)",
      mend: "Look for a twin among the registered documents of the shift before a new key is opened: the till's id and the platform's may both arrive for one sale.",
      needs: ["fiscal/error/shape", "fiscal/tolerance/sync-id"],
      check: async (scene) => {
        const till = await scene.till();
        const body = till.saleBody();
        await till.sell(body);
        const meta = { id: till.newId(), type: "RetailDemand", idType: "sync" };
        return expectRefused(await till.send("retaildemand", { ...body, meta }), 409, 50002, 50003, 50004);
      },
    },
    {
      id: "fiscal/repeat/after-refusal",
      title: "what was refused may come again, mended",
      source: "decided",
      clause: "interface 5, Idempotency; platform-contracts 4.8",
      expected:
        "200 for a sale whose first attempt was refused (412 and 50001, payments differ), now with right payments under the same id",
      mend: "Do not store refusals as answers, nor their content as the key's content: nothing was registered.",
      needs: ["fiscal/amounts/payments-differ"],
      check: async (scene) => {
        const till = await scene.till();
        const body = till.saleBody();
        await till.send("retaildemand", { ...body, payments: { cashSum: "50.00" } });
        return expectDone(await till.send("retaildemand", body));
      },
    },
    {
      id: "fiscal/repeat/refused-not-registered",
      title: "what was refused is not registered",
      source: "decided",
      clause: "platform-contracts 4.7",
      expected: "after a sale that was refused, the next sale's fiscalDocNumber is one higher than that of the sale before",
      mend: "Check everything that can be checked before the register is asked; cancel an open receipt before a refusal is answered.",
      needs: ["fiscal/amounts/payments-differ"],
      check: async (scene) => {
        const till = await scene.till();
        const first = await till.sell();
        await till.send("retaildemand", till.saleBody({ payments: { cashSum: "50.00" } }));
        return expectNext(first, await till.sell());
      },
    },
    {
      id: "fiscal/repeat/at-once",
      title: "the same document three times at once is registered once",
      source: "decided",
      clause: "interface 5, Idempotency; platform-contracts 4.8",
      expected:
        "three equal requests in the same instant: each gets the one answer (or 409 and 50003 until it is there), and the next sale's fiscalDocNumber is one higher",
      mend: "Claim the key in the database before the register is asked, in one atomic step (a unique index), so that the second request finds the first one running and waits for it.",
      needs: [BASE],
      check: async (scene) => {
        const till = await scene.till();
        const body = till.saleBody();
        const [first, ...others] = await Promise.all([1, 2, 3].map(() => till.send("retaildemand", body)));
        if (first === undefined) return held;
        const done = expectDone(first);
        if (done.kind !== "held") return done;
        const same = await inTurn(
          others,
          () => "one of three at once",
          async (other) => expectSameAnswer(first, other),
        );
        return same.kind === "held" ? expectNext(first, await till.sell()) : same;
      },
    },
    {
      id: "fiscal/repeat/shift",
      title: "opening and closing again get the same answers",
      source: "decided",
      clause: "interface 5, Idempotency",
      expected: "the stored answers byte for byte for openshift and closeshift that come a second time",
      mend: `${MEND_JOURNAL} A repeated openshift is neither “already open” nor a new shift.`,
      needs: ["fiscal/answer/openshift", "fiscal/answer/closeshift"],
      check: async (scene) => {
        await scene.rest();
        const till = await scene.newTill(await scene.installedAccount());
        const [open, close] = [till.shiftBody("open"), till.shiftBody("close")];
        const opened = await till.send("openshift", open);
        const openedAgain = await till.send("openshift", open);
        const closed = await till.send("closeshift", close);
        const closedAgain = await till.send("closeshift", close);
        const opening = expectSameAnswer(opened, openedAgain);
        return opening.kind === "held" ? expectSameAnswer(closed, closedAgain) : opening;
      },
    },
    ...KEY_REPEATS,
  ],
};
