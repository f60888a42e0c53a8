import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../../../src/kernel/clock.ts";
import { Account, FORGETFUL } from "../../../../../src/tools/sandbox/account/account.ts";
import { AsyncTasks } from "../../../../../src/tools/sandbox/async/tasks.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

describe("an asynchronous reading", () => {
  it("that failed is ERROR, and its result 61004 (6.6)", async () => {
    const clock = new VirtualClock(0);
    const errors: unknown[] = [];
    const log = { error: (values: object) => errors.push(values) };
    const tasks = new AsyncTasks(new Account({ clock, seed: 1, log: FORGETFUL }), log);
    const { id } = tasks.start("https://api.example/report", { type: "employee", id: "1" }, () =>
      Promise.reject(new Error("a fault of ours")),
    );
    await clock.advance(1_000);
    await nextTurn();
    expect(tasks.get(id).state).toBe("ERROR");
    expect(errors).toEqual([{ task: id, request: "https://api.example/report", error: "a fault of ours" }]);
    expect(() => tasks.result(id)).toThrow(expect.objectContaining({ errors: [{ code: 61004, details: [] }] }));
  });
});
