import { expect, it } from "vitest";
import { closeProblem } from "../../../../src/agent/dial/problem.ts";
import { CLOSE } from "../../../../src/registers/agent/wire/protocol.ts";

it.each([
  [CLOSE.malformed, false, "the server calls a frame malformed: why"],
  [CLOSE.malformed, true, "the server's frame is malformed: why"],
  [CLOSE.silent, false, "the server heard nothing from this agent for too long: why"],
  [CLOSE.silent, true, "the server was silent for too long: why"],
  [CLOSE.normal, false, "the connection was lost (1000): why"],
  [CLOSE.normal, true, "the agent has closed the connection: why"],
])("the end of a connection by code %i, by the agent %s, is told of the side that caused it", (code, byAgent, words) => {
  expect(closeProblem({ code, byAgent, reason: "why" })).toBe(words);
});
