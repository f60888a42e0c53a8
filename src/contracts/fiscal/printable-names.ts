import type { BodyTurn } from "../../http/bodies/long-bodies.ts";
import { lineName, packName } from "../../model/draft/draft.ts";
import type { Operation, SoldPosition } from "../../model/operation.ts";

/** A step ends after about this many characters of changed names. It takes some milliseconds. */
const SPELLED_A_STEP = 4_000;
/** A name that conversion does not change takes this share of the time of a changed name of the same length. */
const UNCHANGED_SHARE = 1 / 16;

/**
 * Returns the operation with the names of goods and packs converted to their printed form. A thousand names take some tenths of a second,
 * so the conversion is done here, in steps. The draft of the document converts the names again in one step. That is fast, because printed
 * names do not change.
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
