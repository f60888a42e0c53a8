import { expect, it } from "vitest";
import type { Submitted } from "../../../src/operations/submission.ts";
import { notMadeOf } from "../../../src/operator/submit-until-ended.ts";

const DONE: Submitted = { kind: "done", answer: Buffer.from("answer"), replayed: false };

it.each<[string, Submitted, object]>([
  ["a refusal is a refusal", { kind: "refused", refusal: { code: "no-paper" } }, { code: "refused", refusal: { code: "no-paper" } }],
  [
    "a doubt stays a doubt",
    { kind: "in-doubt", doubt: { code: "drawer-unclear" } },
    { code: "in-doubt", doubt: { code: "drawer-unclear" } },
  ],
  ["what runs runs", { kind: "running" }, { code: "running" }],
  ["other content is other content", { kind: "content-differs" }, { code: "content-differs" }],
  ["what the register has made, and the journal lacks, is never told as not made", DONE, { code: "entry-missing" }],
])("of what a person ordered, %s", (_what, submitted, told) => {
  expect(notMadeOf(submitted)).toEqual(told);
});
