import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { BoundedQueue } from "../../../src/kernel/bounded-queue.ts";
import { Failure, messageOf } from "../../../src/kernel/failure.ts";
import { Secret } from "../../../src/kernel/secret.ts";

describe("a bounded queue", () => {
  it("gives back what it took in the same order", () => {
    const queue = new BoundedQueue<number>(3);
    expect([queue.offer(1), queue.offer(2)]).toEqual([true, true]);
    expect([queue.take(), queue.take(), queue.take()]).toEqual([1, 2, undefined]);
  });

  it("says no when it is full and keeps nothing then", () => {
    const queue = new BoundedQueue<number>(2);
    expect([queue.offer(1), queue.offer(2), queue.offer(3)]).toEqual([true, true, false]);
    expect(queue.size).toBe(2);
    expect(queue.take()).toBe(1);
    expect(queue.offer(4)).toBe(true);
    expect([queue.take(), queue.take()]).toEqual([2, 4]);
  });

  it("of no room takes nothing", () => {
    expect(new BoundedQueue(0).offer(1)).toBe(false);
  });
});

describe("a failure", () => {
  it("carries its code, kind, whether a retry is safe, and its cause", () => {
    const cause = new Error("cable");
    const failure = new Failure("link-lost", "device", "the link is lost", { retrySafe: true, cause });
    expect(failure).toMatchObject({
      name: "Failure",
      code: "link-lost",
      kind: "device",
      retrySafe: true,
      cause,
      message: "the link is lost",
    });
    expect(new Failure("x", "fault", "y")).toMatchObject({ retrySafe: false });
    expect("cause" in new Failure("x", "fault", "y")).toBe(false);
  });

  it("has words like anything else that is thrown", () => {
    expect([messageOf(new Error("a")), messageOf("b"), messageOf(undefined)]).toEqual(["a", "b", "undefined"]);
  });
});

describe("a secret", () => {
  it("shows itself nowhere but where it is asked for", () => {
    const secret = new Secret("hidden");
    expect([String(secret), `${secret}`, JSON.stringify({ secret }), inspect(secret), inspect({ secret })].join()).not.toContain("hidden");
    expect(secret.reveal()).toBe("hidden");
  });
});
