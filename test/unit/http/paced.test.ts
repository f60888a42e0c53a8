import { expect, it } from "vitest";
import { Paced } from "../../../src/http/paced.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

function counting(clock: VirtualClock) {
  let found = 0;
  return new Paced(clock, async () => (found += 1));
}

it("a question that comes seldom is answered anew each time", async () => {
  const clock = new VirtualClock(0);
  const paced = counting(clock);
  for (let asked = 1; asked <= 30; asked += 1) {
    expect(await paced.get()).toBe(asked);
    await clock.advance(1_000);
  }
});

it("questions that come at once share one answer", async () => {
  const paced = counting(new VirtualClock(0));
  expect(await Promise.all([paced.get(), paced.get(), paced.get()])).toEqual([1, 1, 1]);
});

it("whoever asks without a pause gets the last answer, four new ones a second", async () => {
  const clock = new VirtualClock(0);
  const paced = counting(clock);
  for (let asked = 0; asked < 1_000; asked += 1) await paced.get();
  expect(await paced.get()).toBe(20);
  await clock.advance(1_000);
  for (let asked = 0; asked < 1_000; asked += 1) await paced.get();
  expect(await paced.get()).toBe(24);
});

it("a question that failed is asked again", async () => {
  const answers = [Promise.reject(new Error("no")), Promise.resolve("yes")];
  const paced = new Paced(new VirtualClock(0), () => answers.shift() ?? Promise.resolve("more"));
  await expect(paced.get()).rejects.toThrow("no");
  expect(await paced.get()).toBe("yes");
});
