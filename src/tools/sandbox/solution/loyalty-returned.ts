import { present } from "../../../kernel/present.ts";
import type { SoldLoyaltyLine } from "../caller/loyalty/bodies.ts";
import type { LoyaltySale } from "./loyalty-record.ts";
import { StopFlow } from "./loyalty-steps.ts";

/**
 * Returns the lines of a return, and the total returned quantity of each sale line. Without `named`, everything left is returned. The
 * serial numbers of a line are returned in their order, each once.
 * An excess quantity goes to the goods' last line, so the document is refused like on the platform.
 * Throws `StopFlow` 3007 for goods outside the sale, or if nothing is left.
 */
export function takeBack(
  { lines, returned }: Pick<LoyaltySale, "lines" | "returned">,
  named: readonly { assortmentId: string; quantityThousandths: number }[] | undefined,
): { lines: SoldLoyaltyLine[]; returned: number[] } {
  const taken = lines.map((line, index) => (named === undefined ? leftOf(line, returned[index]) : 0));
  for (const { assortmentId, quantityThousandths } of named ?? []) {
    let wanted = quantityThousandths;
    let last: number | undefined;
    for (const [index, line] of lines.entries()) {
      if (line.assortmentId !== assortmentId) continue;
      const part = Math.min(wanted, leftOf(line, returned[index]) - (taken[index] ?? 0));
      taken[index] = (taken[index] ?? 0) + part;
      wanted -= part;
      last = index;
    }
    if (last === undefined) throw new StopFlow(3007, `the sale has no goods ${assortmentId}`);
    taken[last] = (taken[last] ?? 0) + wanted;
  }
  const back = lines.flatMap((line, index) => {
    const { serials, ...sold } = line;
    const quantityThousandths = taken[index] ?? 0;
    const before = returned[index] ?? 0;
    const theirs = serials?.slice(before / 1000, (before + quantityThousandths) / 1000);
    return quantityThousandths > 0 ? [{ ...sold, quantityThousandths, ...present({ serials: theirs }) }] : [];
  });
  if (back.length === 0) throw new StopFlow(3007, "nothing is left of the sale");
  return { lines: back, returned: lines.map((_, index) => (returned[index] ?? 0) + (taken[index] ?? 0)) };
}

function leftOf({ quantityThousandths }: SoldLoyaltyLine, returned = 0): number {
  return quantityThousandths - returned;
}
