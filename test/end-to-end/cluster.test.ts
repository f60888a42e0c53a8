import { describe, expect, it } from "vitest";
import { ClusterTill, twoProcesses } from "../simulation/cluster/shared-database.ts";
import { startDevice } from "../support/shtrih-m-device-process.ts";

/** The time limit of two starts of programs and four sales, on a machine that does other work too. */
const LIMIT_MS = 180_000;

describe("two processes on one database", { timeout: LIMIT_MS }, () => {
  it("sell at either, and answer a repeat at the other with the same bytes", async () => {
    const device = await startDevice();
    const [one, two] = await twoProcesses({ DEFAULT_REGISTER: device.address });
    const till = new ClusterTill(1);
    await till.install(one);
    expect(await till.openShift(two)).toMatchObject({ status: 200 });
    for (const [first, second] of [
      [one, two],
      [two, one],
    ] as const) {
      const sale = till.newSale();
      const sold = await sale.decidedAt(first);
      expect(sold).toMatchObject({ status: 200 });
      expect(await sale.at(second)).toEqual(sold);
    }
  });
});
