import type { Journal } from "../../journal/journal.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { type WallTime, wallTimeAt } from "../../kernel/moment.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { type PointOfSale, placeOf } from "../../operations/plan.ts";
import { INSPECT_LIMIT_MS, type OperationServices } from "../../operations/services.ts";
import { deviceTimeNow } from "../settling/figure-bounds.ts";

/** Reads the register's clock in the register's lane. Undefined: no register answers, or its lane is full. */
export async function registerTime(services: OperationServices, lanes: Lanes, point: PointOfSale): Promise<WallTime | undefined> {
  const placed = await placeOf(services, point);
  if (placed === undefined) return undefined;
  const place = lanes.enter(placed.lane, () => placed.device.inspect(deadlineIn(services.clock, INSPECT_LIMIT_MS)));
  const seen = place.kind === "full" ? undefined : await place.result;
  return seen?.kind === "reached" ? seen.value.time : undefined;
}

/**
 * Returns the register's time by the journal, for use when no register may be asked. It is the register's clock before the newest document
 * whose facts came as the register's direct answer, plus the time since then. A document that was found in a drive or stated by a person
 * does not count: the journal has only the document's own time, which may be long past. For a register without such an answer, returns the
 * time in the zone of its point of sale.
 */
export async function reckonedTime(journal: Journal, register: string | undefined, nowMs: number, zone: string): Promise<WallTime> {
  const newest = register === undefined ? undefined : await journal.lastDone(register, "answered");
  if (newest?.facts === undefined) return wallTimeAt(nowMs, zone);
  return deviceTimeNow(newest, await journal.moves(newest.id), nowMs);
}
