import { describe, expect, it } from "vitest";
import { PerKeyWork } from "../../../src/kernel/per-key-work.ts";

describe("work one at a time by key", () => {
  it("is begun once, and shared by whoever asks meanwhile", async () => {
    const works = new PerKeyWork<string, string>();
    const first = Promise.withResolvers<string>();
    const begun: string[] = [];
    const join = (key: string, subject: string, result: Promise<string>) =>
      works.join(key, subject, () => {
        begun.push(subject);
        return result;
      });
    const one = join("till", "one", first.promise);
    const two = join("till", "two", Promise.resolve("never"));
    expect(two).toBe(one);
    expect(two.subject).toBe("one");
    expect(await join("other till", "three", Promise.resolve("done")).result).toBe("done");
    expect([works.size, works.has("till"), works.has("other till")]).toEqual([1, true, false]);
    first.resolve("printed");
    expect(await Promise.all([one.result, two.result])).toEqual(["printed", "printed"]);
    expect(begun).toEqual(["one", "three"]);
  });

  it("leaves its key free as soon as its end is known, and a failure to everybody who waits", async () => {
    const works = new PerKeyWork<string>();
    const failing = Promise.withResolvers<string>();
    const waiting = [1, 2].map(() => works.join("till", undefined, () => failing.promise).result);
    const ended = waiting.map((result) => result.catch((error: Error) => `${error.message} ${works.has("till")}`));
    failing.reject(new Error("no paper"));
    expect(await Promise.all(ended)).toEqual(["no paper false", "no paper false"]);
    expect(await works.join("till", undefined, () => Promise.resolve("printed")).result).toBe("printed");
  });

  it("is waited for until all of it has ended", async () => {
    const works = new PerKeyWork<void>();
    const ends = ["a", "b"].map((key) => {
      const end = Promise.withResolvers<void>();
      works.join(key, undefined, () => end.promise);
      return end;
    });
    let idle = false;
    const waited = works.idle().then(() => {
      idle = true;
    });
    ends[0]?.resolve();
    await new Promise(setImmediate);
    expect(idle).toBe(false);
    ends[1]?.resolve();
    await waited;
    expect(works.size).toBe(0);
    await works.idle();
  });
});
