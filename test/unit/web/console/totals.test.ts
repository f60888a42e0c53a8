import { expect, it } from "vitest";
import type { EntryHead } from "../../../../src/journal/reading/head.ts";
import { CUT } from "../../../../src/web/console/export/send.ts";
import { filterOf } from "../../../../src/web/console/filter.ts";
import { totalPieces } from "../../../../src/web/console/totals/totals-page.ts";

const ZONE = "Europe/Moscow";
/** More operations than totals add up. */
const MANY = 250_000;

it.each([
  [MANY, [[], CUT]],
  [1_999, [[]]],
])("the file of the totals of %d operations says whether operations are missing", async (operations, expected) => {
  let left = operations;
  const heads = {
    search: async ({ limit }: { limit: number }) => {
      const found = Math.min(limit, left);
      left -= found;
      return Array.from({ length: found }, () => REFUSED);
    },
    async *withDocuments() {},
  };
  const pieces = totalPieces({ journal: { heads } }, { nowMs: 0, zone: ZONE }, filterOf(new Map(), ZONE));
  const taken: unknown[] = [];
  for await (const piece of pieces) taken.push(piece);
  expect(taken).toEqual(expected);
});

/** A refused operation adds nothing to a sum. */
const REFUSED: EntryHead = {
  id: 1,
  key: { appId: "app", accountId: "account", operation: "sale", documentId: "sale-1" },
  register: "emulator:1",
  storeId: "store",
  state: "refused",
  attempt: 1,
  acceptedAtMs: 0,
  movedAtMs: 0,
};
