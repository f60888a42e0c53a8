import { expect, it } from "vitest";
import { sampleSale } from "../../../../support/register-documents.ts";
import { Trial } from "../../../../support/registers.ts";
import { shtrihBench } from "../../../../support/shtrih-m-bench.ts";

/** Far less than the time for which a driver tries to cancel a receipt at a device that does not answer. */
const AT_ONCE_MS = 1_000;

it.each(["openReceipt", "operation"] as const)(
  "a process that loses its right to the register after %s sends nothing more and gives up at once, and the next holder finds the receipt open",
  async (last) => {
    let holds = true;
    const exchanged = ({ command }: { command: string }) => {
      if (command === last) holds = false;
    };
    const t = await Trial.on((clock) => shtrihBench(clock, { exchanged, maySend: () => holds }));
    await t.openShift();
    const beganMs = t.clock.monotonicMs();
    const outcome = await t.perform(sampleSale());
    expect(holds).toBe(false);
    expect(outcome.kind).toBe("refused");
    expect(t.clock.monotonicMs() - beganMs).toBeLessThan(AT_ONCE_MS);
    holds = true;
    expect((await t.state()).documentOpen).toBe(true);
  },
);
