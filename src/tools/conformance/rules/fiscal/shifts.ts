import { held } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, statusOf } from "../../exchanges/sent.ts";
import type { Till } from "../../play/till.ts";
import type { Group } from "../rule.ts";
import { expectDone, expectRefused } from "./answers.ts";

/**
 * Documents that contradict the state of the shift (interface 6, Error codes; fiscal-receipts 6.2). Each rule has a separate till and
 * closes the shift that it opens.
 */
export const shiftsGroup: Group = {
  id: "fiscal/shift",
  needs: ["fiscal/error/shape", "fiscal/answer/openshift", "fiscal/answer/closeshift"],
  rules: [
    {
      id: "fiscal/shift/sale-without-shift",
      title: "a sale without an open shift is refused, or opens it",
      source: "decided",
      clause: "interface 6, Error codes and Shift the platform does not own; platform-contracts 4.9",
      expected:
        "412 and 51001 (50010 is taken too) before any shift was opened; 200 where the point of sale is set to open shifts by itself",
      mend: "Ask the register, or remember, whether the shift is open before the receipt is begun.",
      check: async (scene) => {
        const till = await scene.newTill();
        const sent = await till.send("retaildemand", till.saleBody());
        if (statusOf(sent) !== 200) return expectRefused(sent, 412, 51001, 50010);
        return expectDone(await till.closeShift());
      },
    },
    {
      id: "fiscal/shift/close-without-shift",
      title: "closing what is not open is refused",
      source: "decided",
      clause: "interface 6, Error codes",
      expected: "412 and 51001 (50010 is taken too) for closeshift of a shift that was never opened",
      mend: "Answer the code for a closed shift; do not open one in order to close it.",
      check: async (scene) => expectRefused(await (await scene.newTill()).closeShift(), 412, 51001, 50010),
    },
    {
      id: "fiscal/shift/second-open",
      title: "a second shift at the same point of sale is refused",
      source: "decided",
      clause: "interface 6, Error codes",
      expected: "412 and 51003 (50010 is taken too) for openshift with another retailShift.meta.id while a shift is open",
      mend: "Keep the id of the platform's shift with the register's open one, and compare.",
      check: async (scene) => {
        const till = await scene.newTill();
        await till.openShift();
        const sent = await till.send("openshift", { ...till.shiftBody("open"), ...otherShift(till) }, OTHER_SHIFT);
        await till.closeShift();
        return expectRefused(sent, 412, 51003, 50010);
      },
    },
    {
      id: "fiscal/shift/foreign-shift",
      title: "a sale that names another shift than the open one is refused",
      source: "decided",
      clause: "interface 6, Error codes; platform-contracts 4.7",
      expected:
        "412 and 50010 (51001 is taken too) for a sale whose retailShift.meta.id is not the open shift's: otherwise it stands in the wrong shift for ever",
      mend: "Compare the shift that the document names with the one that was opened.",
      check: async (scene) => {
        const till = await scene.newTill();
        await till.openShift();
        const sent = await till.send("retaildemand", till.saleBody(otherShift(till)), OTHER_SHIFT);
        await till.closeShift();
        return expectRefused(sent, 412, 50010, 51001);
      },
    },
    {
      id: "fiscal/shift/next-shift",
      title: "after closing, the next shift opens under the next number",
      source: "seed",
      clause: "seed, States and transitions; fiscal-receipts 1.5",
      expected: "200 for openshift with a new id after closeshift, with a shiftNumber one higher",
      mend: "Let the register count shifts, and answer its number.",
      needs: ["fiscal/answer/shift-number"],
      check: async (scene) => {
        const till = await scene.newTill();
        await till.openShift();
        const closed = await till.closeShift();
        till.takeNewShift();
        const opened = await till.openShift();
        await till.closeShift();
        const before = Number(objectOf(closed)?.shiftNumber);
        return Number(objectOf(opened)?.shiftNumber) === before + 1 ? held : broken(opened, `the shift before was ${before}`);
      },
    },
  ],
};

const OTHER_SHIFT = { label: "another retailShift.meta.id" };

function otherShift(till: Till): { retailShift: object } {
  const id = till.newId();
  return { retailShift: { meta: { href: `${till.context.api}/entity/retailshift/${id}`, id, type: "RetailShift", idType: "native" } } };
}
