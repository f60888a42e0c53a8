import { expect, it } from "vitest";
import { agentOutcomeSchema } from "../../../src/registers/agent/wire/register-schema.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";

const BOUND_MS = 50;

it("an agent's refusal with a frame full of details is passed over at once", async () => {
  const details = Object.fromEntries(Array.from({ length: 90_000 }, (_, nth) => [`${nth}`.padStart(5, "n"), "x"]));
  const outcome = { kind: "refused", refusal: { code: "no-paper", details } };
  const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, async () => agentOutcomeSchema.safeParse(outcome).success);
  expect(result).toBe(false);
  expect(cpuMs).toBeLessThan(allowedMs);
});

it("an agent's refusal keeps the details that people read", () => {
  const outcome = { kind: "refused", refusal: { code: "cash-short", details: { sum: "834.57" } } };
  expect(agentOutcomeSchema.parse(outcome)).toEqual(outcome);
});
