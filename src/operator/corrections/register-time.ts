import type { Journal } from "../../journal/journal.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { type WallTime, wallTimeAt } from "../../kernel/moment.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { type PointOfSale, placeOf } from "../../operations/plan.ts";
import { INSPECT_LIMIT_MS, type OperationServices } from "../../operations/services.ts";
import { deviceTimeNow } from "../settling/figure-bounds.ts";

/** Reads the register's clock in the register's lane. Undefined when there is no register, or it does not answer. */
export async function registerTime(services: OperationServices, lanes: Lanes, point: PointOfSale): Promise<WallTime | undefined> {
  const placed = await placeOf(services, point);
  if (placed === undefined) return undefined;
  const place = lanes.enter(placed.lane, () => placed.device.inspect(deadlineIn(services.clock, INSPECT_LIMIT_MS)));
  const seen = place.kind === "full" ? undefined : await place.result;
  return seen?.kind === "reached" ? seen.value.time : undefined;
}

/**
 * Returns the register's time by the journal, for use when no register may be asked: the register's clock before the newest
 * document, plus the time since then. For a register without documents, returns the time in the zone of its point of sale.
 */
export async function reckonedTime(journal: Journal, register: string | undefined, nowMs: number, zone: string): Promise<WallTime> {
  const newest = register === undefined ? undefined : await journal.lastDone(register);
  if (newest?.facts === undefined) return wallTimeAt(nowMs, zone);
  return deviceTimeNow(newest, await journal.moves(newest.id), nowMs);
}
