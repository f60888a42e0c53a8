import { z } from "zod";
import { jsonIn } from "../../store/columns.ts";

const movedSchema = z.object({
  aliases: z.array(z.object({ kind: z.enum(["native", "sync", "phone", "card"]), value: z.string() })),
  lots: z.array(z.object({ from: z.number(), to: z.number() })),
  debtPoints: z.number(),
});

/** What a merge has moved: aliases, lots by their number in the member that is gone and in the one that was kept, and debt. */
export type Moved = z.infer<typeof movedSchema>;

/** Throws `loyalty-merge-unreadable`. */
export function readMoved({ id, moved }: { id: number; moved: string }): Moved {
  return jsonIn({ failure: "loyalty-merge-unreadable", table: "loyalty_merges", row: String(id) }, "moved", moved, movedSchema);
}
