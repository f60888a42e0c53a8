import { describe, expect, it, onTestFinished } from "vitest";
import { RegisterCare } from "../../../../src/tools/demo/register-care.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

/** The care for a device whose process has ended. */
function careOfEnded(clock: VirtualClock): RegisterCare {
  const ended = () => Promise.reject(new Error("the device has ended"));
  return new RegisterCare({ control: { state: ended, documents: ended, order: ended }, repair: ended }, clock, () => {});
}

describe("the care for a register whose device ends during the work", () => {
  it.each([
    ["throws what the device said when the work is done", undefined, "the device has ended"],
    ["throws the error of the work when the work has failed too", "no answer", "no answer"],
  ])("%s, and leaves no rejection that nobody handles", async (_what, failure, thrown) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const clock = new VirtualClock(0);
    const work = Promise.withResolvers<void>();
    const during = careOfEnded(clock).during(() => work.promise);
    await clock.advance(1_000);
    await clock.advance(1_000);
    if (failure === undefined) work.resolve();
    else work.reject(new Error(failure));
    await expect(during).rejects.toThrow(thrown);
    expect(unhandled).toEqual([]);
  });
});
