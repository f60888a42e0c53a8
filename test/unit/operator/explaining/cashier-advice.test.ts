import { describe, expect, it } from "vitest";
import type { Entry } from "../../../../src/journal/entry.ts";
import type { CorrectionStep } from "../../../../src/model/correction.ts";
import { planCorrections } from "../../../../src/operator/corrections/correction-steps.ts";
import { cashierAdvice } from "../../../../src/operator/explaining/cashier-advice.ts";
import type { Correction } from "../../../../src/operator/explaining/correction-story.ts";
import { entryContent, saleFacts } from "../../../support/journal-entries.ts";

const HEAD = { id: 5, attempt: 1, acceptedAtMs: 0, movedAtMs: 0 };
const SOLD: Entry = { ...entryContent(), ...HEAD, state: "done", facts: saleFacts() };
const REFUSED: Entry = { ...entryContent(), ...HEAD, state: "refused", refusal: { code: "no-paper" } };

function correction(step: CorrectionStep, number?: number): Correction {
  const of = step === "missed" ? REFUSED : SOLD;
  const planned = planCorrections(of, { today: "2026-03-02" });
  const [first] = planned.kind === "plan" ? planned.corrections : [];
  if (first === undefined) throw new Error("nothing can be corrected");
  const { key, operation } = first;
  const made =
    number === undefined ? { state: "sending" as const } : { state: "done" as const, facts: { ...saleFacts(), documentNumber: number } };
  return { ...entryContent({ key }), ...HEAD, ...made, operation: { ...operation, step } };
}

describe("what a cashier is told of an entry", () => {
  it.each([
    ["has not come to the register", { ...SOLD, state: "queued" }, [], { code: "waits-its-turn" }],
    ["is in doubt", { ...SOLD, state: "in-doubt" }, [], { code: "is-in-doubt" }],
    ["was refused", REFUSED, [], { code: "repeat" }],
    ["a repeat would not help", { ...REFUSED, refusal: { code: "clock-wrong" } }, [], { code: "wait-for-operator" }],
    ["a correction registers", REFUSED, [correction("missed")], { code: "being-corrected" }],
    ["a correction has registered", REFUSED, [correction("missed", 50)], { code: "corrected", number: 50 }],
    ["was registered", SOLD, [], { code: "made", number: 42 }],
    ["is being undone", SOLD, [correction("undo")], { code: "made", number: 42 }],
    ["was undone", SOLD, [correction("undo", 50)], { code: "undone", number: 42, undoing: 50 }],
    ["was put right", SOLD, [correction("undo", 50), correction("redo", 51)], { code: "undone", number: 42, undoing: 50, right: 51 }],
    ["is a correction itself", correction("undo", 50), [], { code: "is-correction" }],
  ] satisfies [string, Entry, Correction[], unknown][])(
    "that %s is one code, with the numbers that it needs",
    (_, entry, corrections, advice) => {
      expect(cashierAdvice(entry, { corrections })).toEqual(advice);
    },
  );
});
