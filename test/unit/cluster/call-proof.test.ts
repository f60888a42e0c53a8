import { describe, expect, it } from "vitest";
import { CallKeys, UsedNumbers } from "../../../src/cluster/call-proof.ts";
import { Secret } from "../../../src/kernel/secret.ts";

const keys = new CallKeys(new Secret("the-key-of-the-cluster"));
const HEAD = { method: "POST", path: "/internal/submit", to: "two", from: "one", number: 7 };
const BODY = Buffer.from('{"a":1}');

describe("a call between processes", () => {
  const proof = keys.prove(HEAD, BODY);

  it("is proved by whoever has the same secret, and by nobody else", () => {
    const same = new CallKeys(new Secret("the-key-of-the-cluster"));
    const other = new CallKeys(new Secret("the-key-of-somebody-else"));
    expect(same.proved("POST", HEAD.path, proof, BODY)).toEqual(HEAD);
    expect(other.proved("POST", HEAD.path, proof, BODY)).toBeUndefined();
    expect([same.check === keys.check, other.check === keys.check]).toEqual([true, false]);
  });

  it.each([
    ["another method", () => keys.proved("PUT", HEAD.path, proof, BODY)],
    ["another path", () => keys.proved("POST", "/internal/give", proof, BODY)],
    ["another body", () => keys.proved("POST", HEAD.path, proof, Buffer.from('{"a":2}'))],
    ["another receiver", () => keys.proved("POST", HEAD.path, proof.replace(/^two/, "three"), BODY)],
    ["another sender", () => keys.proved("POST", HEAD.path, proof.replace(".one.", ".three."), BODY)],
    ["another number", () => keys.proved("POST", HEAD.path, proof.replace(".7.", ".8."), BODY)],
    ["no proof", () => keys.proved("POST", HEAD.path, undefined, BODY)],
    ["a cut proof", () => keys.proved("POST", HEAD.path, proof.slice(0, -1), BODY)],
    ["words", () => keys.proved("POST", HEAD.path, "let me in", BODY)],
  ])("is not proved with %s", (_what, prove) => {
    expect(prove()).toBeUndefined();
  });

  it("has an answer that only its receiver can prove, for this call alone", () => {
    const answer = { status: 200, outcome: "done", body: Buffer.from("receipt") };
    const proved = keys.proveAnswer(HEAD, answer.status, answer.outcome, answer.body);
    expect(keys.isAnswerOf(HEAD, answer, proved)).toBe(true);
    expect(keys.isAnswerOf({ ...HEAD, number: 8 }, answer, proved)).toBe(false);
    expect(keys.isAnswerOf({ ...HEAD, to: "three" }, answer, proved)).toBe(false);
    expect(keys.isAnswerOf(HEAD, { ...answer, outcome: "not-here" }, proved)).toBe(false);
    expect(keys.isAnswerOf(HEAD, { ...answer, body: Buffer.from("another") }, proved)).toBe(false);
    expect(keys.isAnswerOf(HEAD, answer, undefined)).toBe(false);
  });
});

describe("the numbers of calls", () => {
  it("are used once, in any order", () => {
    const used = new UsedNumbers();
    expect([5, 3, 4, 3, 5, 6, 4].map((number) => used.use("one", number))).toEqual([true, true, true, false, false, true, false]);
    expect(used.use("two", 5)).toBe(true);
  });

  it("far below the newest count as used, so that little has to be kept", () => {
    const used = new UsedNumbers();
    expect(used.use("one", 10_000)).toBe(true);
    expect(used.use("one", 10_000 - 4_096)).toBe(false);
    expect(used.use("one", 10_000 - 4_095)).toBe(true);
  });

  it("of a process that is gone are forgotten", () => {
    const used = new UsedNumbers();
    used.use("one", 1);
    used.keepOnly(new Set(["two"]));
    expect(used.use("one", 1)).toBe(true);
  });
});
