import { held } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import type { Sent } from "../../exchanges/sent.ts";
import { notDeclared } from "../../play/declared.ts";
import type { Scene } from "../../play/scene.ts";
import type { Till } from "../../play/till.ts";
import type { Rule } from "../rule.ts";
import { expectDone, expectNext, expectSameAnswer } from "./answers.ts";

const BASE = "fiscal/repeat/same-answer";

/** Rules about the key of an operation. The account, the operation and the document id form the key. */
export const KEY_REPEATS: readonly Rule[] = [
  {
    id: "fiscal/repeat/operations-apart",
    title: "a sale and a return may have the same document id",
    source: "decided",
    clause: "interface 5, Idempotency; platform-contracts 4.8",
    expected:
      "200 for a return whose meta.id is that of a sale before it, as a document of its own: its fiscalDocNumber is one higher than the sale's",
    mend: "Make the operation part of the key.",
    needs: ["fiscal/answer/retaisalesreturn"],
    check: async (scene) => {
      const never = notDeclared(scene.target, "retaisalesreturn");
      if (never !== undefined) return never;
      const till = await scene.till();
      const sale = till.saleBody();
      const sold = await till.sell(sale);
      const { id } = sale.meta as { id: string };
      const returned = await till.send("retaisalesreturn", till.returnBody(id, { meta: { id, type: "RetailSalesReturn" } }));
      const done = expectDone(returned);
      return done.kind === "held" ? expectNext(sold, returned) : done;
    },
  },
  {
    id: "fiscal/repeat/new-registration",
    title: "a repeat under a new registration id is the same repeat",
    source: "decided",
    clause: "interface 5, Idempotency; platform-contracts 3.4",
    expected:
      "after Suspend, and Resume with another additional.fiscalApi (id and key), the sale from before gets its stored answer under the new id, and the next sale's fiscalDocNumber is one higher than that sale's",
    mend: "Key operations by the account of the path in the vendor contract; registration ids are only names that lead to it, and whether they change is not documented.",
    needs: [BASE, "vendor/activation/resume"],
    check: async (scene) => {
      await scene.rest();
      const account = await scene.installedAccount();
      const till = await scene.newTill(account);
      await till.begin();
      const body = till.saleBody();
      const first = await till.sell(body);
      await account.deactivate("Suspend");
      account.renew({ registration: true });
      await account.activate("Resume");
      await scene.untilActive(account);
      const same = expectSameAnswer(first, await till.send("retaildemand", body));
      const result = same.kind === "held" ? expectNext(first, await till.sell()) : same;
      await till.leave();
      return result;
    },
  },
  {
    id: "fiscal/repeat/accounts-apart",
    title: "two accounts may use the same document id",
    source: "decided",
    clause: "interface 5, Idempotency; platform-contracts 4.8",
    expected: "a sale with an id that another account has used is registered as its own: 200 with another answer",
    mend: "Make the account part of the key.",
    check: async (scene) => {
      await scene.rest();
      const first = await soldIn(scene, undefined);
      const second = await soldIn(scene, first.id);
      const done = expectDone(second.sent);
      if (done.kind !== "held") return done;
      return expectSameAnswer(first.sent, second.sent).kind === "held"
        ? broken(second.sent, "the answer is that of the other account")
        : held;
    },
  },
  {
    id: "fiscal/repeat/after-close",
    title: "a repeat after the shift was closed is still the same repeat",
    source: "decided",
    clause: "interface 5, Idempotency; platform-contracts 4.8",
    expected:
      "the stored answer for a sale that comes again when its shift is closed, and again when the next one is open: the till may not have heard of it before",
    mend: "Look for the key before anything is asked of the register or the shift: what is done is answered, whatever state the register is in now.",
    needs: [BASE, "fiscal/answer/closeshift"],
    check: async (scene) => {
      const never = notDeclared(scene.target, "closeshift");
      if (never !== undefined) return never;
      await scene.rest();
      const till = await scene.newTill();
      await till.begin();
      const body = till.saleBody();
      const first = await till.sell(body);
      await till.closeShift();
      const closed = expectSameAnswer(first, await till.send("retaildemand", body));
      till.takeNewShift();
      await till.begin();
      const next = expectSameAnswer(first, await till.send("retaildemand", body));
      await till.leave();
      return closed.kind === "held" ? next : closed;
    },
  },
  {
    id: "fiscal/repeat/other-path",
    title: "a return under the other spelling of its path is the same return",
    source: "decided",
    clause: "platform-contracts 4.3, 4.8; interface 4",
    expected: "the stored answer for a return that was sent to /1/retaisalesreturn and comes again at /1/retailsalesreturn",
    mend: "Name the operation in the key, not the path that it came by.",
    needs: [BASE, "fiscal/path/return-alias", "fiscal/answer/retaisalesreturn"],
    check: async (scene) => {
      const never = notDeclared(scene.target, "retaisalesreturn");
      if (never !== undefined) return never;
      const till = await scene.till();
      await till.sell();
      const body = till.returnBody(till.newId());
      const first = await till.send("retaisalesreturn", body);
      const done = expectDone(first);
      if (done.kind !== "held") return done;
      return expectSameAnswer(first, await till.send("retaisalesreturn", body, { path: "/1/retailsalesreturn" }));
    },
  },
];

async function soldIn(scene: Scene, id: string | undefined): Promise<{ id: string; sent: Sent }> {
  const till: Till = await scene.newTill(await scene.installedAccount());
  await till.begin();
  const documentId = id ?? till.newId();
  const sent = await till.send("retaildemand", till.saleBody({ meta: { id: documentId, type: "RetailDemand", idType: "native" } }));
  await till.leave();
  return { id: documentId, sent };
}
