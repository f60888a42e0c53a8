import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { TurnLine } from "../../../src/payments/turn-line.ts";

describe("a line of turns", () => {
  it("lets so much work run at once, in the order in which it came, also past a failure", async () => {
    const line = new TurnLine(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const works = [0, 1, 2, 3].map((number) =>
      line.run(async () => {
        begun.push(number);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (number === 0) throw new Error("failed");
        return number;
      }),
    );
    const settled = Promise.allSettled(works);
    await nextTurn();
    expect(begun).toEqual([0, 1]);
    ends.shift()?.();
    await nextTurn();
    expect(begun).toEqual([0, 1, 2]);
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await nextTurn();
    }
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
    expect(begun).toEqual([0, 1, 2, 3]);
  });
});
