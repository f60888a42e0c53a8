import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { jsonIn } from "../../store/columns.ts";

/** The largest number of aliases or of lots of one member. It allows one lot for each sale, for many years. */
const MAX_MOVED = 100_000;

const movedSchema = z.object({
  aliases: boundedList(z.object({ kind: z.enum(["native", "sync", "phone", "card"]), value: z.string() }), { max: MAX_MOVED }),
  lots: boundedList(z.object({ from: z.number(), to: z.number() }), { max: MAX_MOVED }),
  debtPoints: z.number(),
  back: boundedList(z.object({ from: z.number(), to: z.number() }), { max: MAX_MOVED }).default([]),
});

/**
 * The data that a merge moved from the merged member to the kept member: aliases, debt and lots. `back`: the lots that the undoing of the
 * merge moved back. `from` and `to`: the number of a lot at the member that lost it, and at the member that got it.
 */
export type Moved = z.infer<typeof movedSchema>;

/** Throws `loyalty-merge-unreadable`. */
export function readMoved({ id, moved }: { id: number; moved: string }): Moved {
  return jsonIn({ failure: "loyalty-merge-unreadable", table: "loyalty_merges", row: String(id) }, "moved", moved, movedSchema);
}
