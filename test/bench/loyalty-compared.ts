import { nextTurn, systemClock } from "../../src/kernel/clock.ts";
import { medianRow, percentile, type Row, rounded, withFloor } from "./row.ts";

const ROUNDS = 7;
/** The number of calls before the first one that counts. */
const WARM_UP = 200;

/** Measures the call and its floor in turns, so that a busy machine affects both. The first round only warms up. */
export async function compared(name: string, calls: number, floor: () => Promise<unknown>, call: () => Promise<unknown>): Promise<Row> {
  const rows: ReturnType<typeof withFloor>[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [floors, values] = [[], []] as [number[], number[]];
    for (let n = 0; n < calls; n += 1) {
      floors.push(await elapsedMs(floor));
      values.push(await elapsedMs(call));
    }
    if (round > 0) rows.push(withFloor({ name, value: rounded(percentile(values, 50)), unit: "ms" }, percentile(floors, 50)));
    await nextTurn();
  }
  return medianRow(rows);
}

export async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - startedMs;
}

/** Compares the 99th percentile of the call with that of its floor. Both are measured in turns. */
export async function comparedSlowest(
  name: string,
  calls: number,
  floor: () => Promise<unknown>,
  call: () => Promise<unknown>,
): Promise<Row> {
  const [floors, values] = [[], []] as [number[], number[]];
  for (let n = 0; n < WARM_UP + calls; n += 1) {
    const [floorMs, valueMs] = [await elapsedMs(floor), await elapsedMs(call)];
    if (n < WARM_UP) continue;
    floors.push(floorMs);
    values.push(valueMs);
  }
  return withFloor({ name, value: rounded(percentile(values, 99)), unit: "ms, p99" }, percentile(floors, 99));
}
