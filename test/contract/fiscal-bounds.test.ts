import type supertest from "supertest";
import { describe, expect, it } from "vitest";
import { LongBodies } from "../../src/http/bodies/long-bodies.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { contract, keyPair } from "../support/fiscal.ts";
import { sale } from "../support/fiscal-bodies.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const KEY = keyPair();

/** The one error of an answer, with its status. */
function errorOf({ status, body }: supertest.Response) {
  expect(body.errors).toHaveLength(1);
  return { status, ...body.errors[0] };
}

describe("a body of the fiscal contract that holds more than any document", () => {
  it.each([
    ["nests deeper than 64 levels", `{"positions":[${'{"a":'.repeat(64)}1${"}".repeat(64)}]}`, "positions", "64"],
    ["has more than 50000 values", `{"retailShift":{"meta":{"future":[${"1,".repeat(50_000)}1]}}}`, "retailShift.meta.future", "50000"],
    ["has an object of more than 500 members", `{"a":{${Array.from({ length: 501 }, (_, n) => `"m${n}":1`).join(",")}}}`, "a.m500", "500"],
    ["has more than 1000 positions", JSON.stringify({ ...sale(), positions: Array(1001).fill({}) }), "positions", "1000"],
    [
      "has more than 1000 marks",
      JSON.stringify({ ...sale(), positions: Array(4).fill({ ...sale().positions[0], marks: Array(300).fill("A") }) }),
      "positions[3].marks",
      "1000",
    ],
  ])("is refused as wrong when it %s, with the field and the limit", async (_what, body, parameter, limit) => {
    const { send, submitted } = contract({ key: KEY });
    const response = await send("/fiscal/1/retaildemand", body);
    expect(errorOf(response)).toMatchObject({ status: 412, code: 999, parameter });
    expect(errorOf(response).error_message).toContain(`Не больше: ${limit}.`);
    expect(submitted).toEqual([]);
  });

  it("is refused for the first of a hundred thousand faults", async () => {
    const { send, submitted } = contract({ key: KEY });
    const wrong = JSON.stringify({
      ...sale(),
      positions: Array(900).fill({ ...sale().positions[0], marks: [{}], quantity: {}, price: [] }),
    });
    const response = await send("/fiscal/1/retaildemand", wrong);
    expect(errorOf(response)).toMatchObject({ status: 412, code: 999, parameter: "positions[0].quantity" });
    expect(submitted).toEqual([]);
  });
});

it("a fiscal request while the database does not answer is 500, and says so and that a repeat is safe", async () => {
  const outcome = () => Promise.reject(new Failure("database-failed", "dependency", "connect ECONNREFUSED", { retrySafe: true }));
  const { send } = contract({ key: KEY, outcome });
  const response = await send("/fiscal/1/retaildemand", sale());
  expect(errorOf(response)).toMatchObject({ status: 500, code: 50500 });
  expect(response.text).not.toContain("ECONNREFUSED");
  expect(response.body.errors[0].error_message).toMatch(
    /баз[аы] данных.*Повторите эту же операцию.*второй раз пробита она не будет.*администратора/,
  );
});

describe("a fiscal request while the journal takes no change", () => {
  it.each(["database-full", "database-read-only", "database-unwritable"])("is 503, and says that nothing was sent: %s", async (code) => {
    const outcome = () => {
      throw new Failure(code, "dependency", "secret detail", { retrySafe: true });
    };
    const { send, lines } = contract({ key: KEY, outcome });
    const response = await send("/fiscal/1/retaildemand", sale());
    expect(errorOf(response)).toMatchObject({ status: 503, code: 50030 });
    expect(errorOf(response).error_message).toContain("на кассу ничего не отправлено");
    expect(response.text).not.toContain("secret");
    expect(lines.at(-1)).toMatchObject({ level: "error" });
  });
});

/** Longer than the bodies that are read beside others. */
const LONG_BYTES = 100 * 1024;

describe("a long body of the fiscal contract", () => {
  it("waits for a long body of another contract, because all contracts share one event loop", async () => {
    const clock = new VirtualClock(0);
    const shared = new LongBodies(clock);
    const come = Promise.withResolvers<void>();
    const longBodies = {
      enter: (caller: string, bytes: number) => {
        if (bytes > LONG_BYTES) come.resolve();
        return shared.enter(caller, bytes);
      },
    };
    const { send, submitted } = contract({ key: KEY, services: { clock, longBodies } });
    const ofOther = await shared.enter("another contract", LONG_BYTES);
    const answer = send("/fiscal/1/retaildemand", { ...sale(), more: "x".repeat(LONG_BYTES) }).then(({ status }) => status);
    await come.promise;
    // A short body waits for no long one.
    expect((await send("/fiscal/1/retaildemand", sale())).status).toBe(200);
    expect(submitted).toHaveLength(1);
    ofOther?.end();
    expect(await answer).toBe(200);
    expect(submitted).toHaveLength(2);
  });
});
