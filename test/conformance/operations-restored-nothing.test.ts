import { describe, expect, it } from "vitest";
import { sample } from "../support/extent.ts";
import { readFor } from "../support/never-given.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

/** The sales of the shift. Their documents have the numbers 3 to 6. */
const LOST = ["sale-3", "sale-4", "sale-5", "sale-6"] as const;

async function sell(till: Till, id: string): Promise<string> {
  const answer = textOf(await till.submitAndWait(saleOperation(id)));
  await till.settled();
  return answer.split(" ").slice(0, 2).join(" ");
}

/** Sends the sale until it is registered, at most ten times. */
async function sellAtLast(till: Till, id: string): Promise<string> {
  let answer = "";
  for (let nth = 1; nth <= 10 && !answer.startsWith("receipt"); nth += 1) answer = await sell(till, id);
  return answer;
}

/** A till whose database is an older copy, which has nothing of the drive. */
async function restoredWithoutDrive(scheme: string) {
  const trial = await Trial.begin(scheme);
  const line = readFor(trial.clock);
  const till = await Till.open({ trial, line: line.wrap });
  const copy = await copyOf(till.store);
  await till.openShift();
  for (const id of LOST) await sell(till, id);
  await restore(till.store, copy);
  await till.killAndRestart();
  return { till, line };
}

describe.each(sample(SCHEMES, 1))("a restored database that has nothing of the drive, %s", (scheme) => {
  it.each([
    [3, "sale-3"],
    [4, "sale-4"],
    [6, "sale-6"],
  ] as const)("finds document %i, which the register hides for six requests, after another sale", async (number, id) => {
    const { till, line } = await restoredWithoutDrive(scheme);
    line.fail("not returned", number, 6);
    expect(await sellAtLast(till, "next")).toBe("receipt 7");
    expect(await sellAtLast(till, id)).toBe(`receipt ${number}`);
    expect(await till.documents()).toBe(7);
  });

  it("finds the document also when the process begins anew after the other sale, and the register hides it again", async () => {
    const { till, line } = await restoredWithoutDrive(scheme);
    line.fail("not returned", 4);
    expect(await sellAtLast(till, "next")).toBe("receipt 7");
    await till.killAndRestart();
    line.fail("not returned", 4, 5);
    expect(await sellAtLast(till, "sale-4")).toBe("receipt 4");
    expect(await till.documents()).toBe(7);
  });
});
