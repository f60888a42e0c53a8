import { expect, it } from "vitest";
import { present } from "../../../src/kernel/present.ts";

it("members without a value are absent, and everything else stays", () => {
  const given: { name?: string | undefined; sum: number | undefined; list: null; none: undefined } = {
    name: undefined,
    sum: 0,
    list: null,
    none: undefined,
  };
  expect(Object.entries(present(given))).toEqual([
    ["sum", 0],
    ["list", null],
  ]);
});
