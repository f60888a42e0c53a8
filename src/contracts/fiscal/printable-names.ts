import type { BodyTurn } from "../../http/long-bodies.ts";
import { lineName, packName } from "../../model/draft/draft.ts";
import type { Operation, SoldPosition } from "../../model/operation.ts";

/** The number of characters of names that are spelled in one step: some milliseconds. */
const SPELLED_A_STEP = 4_000;
/** A name that paper shows unchanged takes this share of the time of another name. */
const UNCHANGED_SHARE = 1 / 16;

/**
 * The operation with the names of goods and packs as they are printed. The document gets the same names, because a name
 * that was spelled once does not change any more. To spell a thousand names takes some tenths of a second, so it is done
 * in steps.
 */
export async function withPrintableNames(operation: Operation, turn: BodyTurn): Promise<Operation> {
  if (operation.kind !== "sale" && operation.kind !== "sales-return") return operation;
  const positions: SoldPosition[] = [];
  let spelled = 0;
  for (const position of operation.positions) {
    const { assortment, pack } = position;
    const name = lineName(assortment.name);
    const packed = pack === undefined ? {} : { pack: { ...pack, name: packName(pack.name) } };
    positions.push({ ...position, assortment: { ...assortment, name }, ...packed });
    spelled += effort(assortment.name, name) + effort(pack?.name ?? "", packed.pack?.name ?? "");
    if (spelled < SPELLED_A_STEP) continue;
    spelled = 0;
    await turn.rest();
  }
  return { ...operation, positions };
}

function effort(given: string, printed: string): number {
  return given.length * (given === printed ? UNCHANGED_SHARE : 1);
}
