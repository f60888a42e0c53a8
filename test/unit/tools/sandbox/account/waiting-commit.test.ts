import { expect, it } from "vitest";
import { Account } from "../../../../../src/tools/sandbox/account/account.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

it("a commit that changes nothing waits for what it found to be on the disk", async () => {
  const disk = Promise.withResolvers<void>();
  const account = new Account({ clock: new VirtualClock(0), seed: 1, log: { append: () => disk.promise, close: () => Promise.resolve() } });
  const done: string[] = [];
  const first = account.commit(() => account.put({ type: "product", id: "1", values: {} })).then(() => done.push("created"));
  const repeat = account.commit(() => account.objects.get("product", "1")).then((found) => done.push(`found ${found?.id}`));
  await Promise.resolve();
  expect(done).toEqual([]);
  disk.resolve();
  await Promise.all([first, repeat]);
  expect(done).toEqual(["created", "found 1"]);
});
