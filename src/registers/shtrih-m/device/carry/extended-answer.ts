import type { WallTime } from "../../../../kernel/moment.ts";
import type { Machine } from "../machine/machine.ts";
import { FIELD } from "../machine/table-list.ts";

/** Returns the document's time for an answer, if T17F36 is set (shtrih-protocol 5.7, bit 50). */
export function timeOf({ tables }: Machine, time: WallTime): { time?: WallTime } {
  return tables.number(FIELD.extendedAnswers) === 1 ? { time } : {};
}
