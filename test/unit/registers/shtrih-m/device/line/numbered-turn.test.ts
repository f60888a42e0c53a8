import { describe, expect, it } from "vitest";
import {
  type NumberedTurnInput,
  type NumberedTurnState,
  nothingDone,
  transition,
} from "../../../../../../src/registers/shtrih-m/device/line/numbered-turn.ts";

type Input = NumberedTurnInput<string>;

const STATUS = Buffer.from("101E000000", "hex");
const BEEP = Buffer.from("131E000000", "hex");
const ANSWER = Buffer.from("1000", "hex");
const question: Input = { kind: "question", asker: "a" };
const answered = (data: Buffer): Input => ({ kind: "answer", data });

function command(number: number, data = STATUS, asker = "a"): Input {
  return { kind: "message", number, data, asker };
}

/** Returns the effects of the inputs in their order, each as a text. */
function played(inputs: readonly Input[], begin: NumberedTurnState<string> = nothingDone()): string[] {
  let state = begin;
  return inputs.flatMap((input) => {
    const step = transition(state, input);
    state = step.state;
    return step.effects.map((effect) => {
      if (effect.kind === "execute") return `execute ${effect.data.toString("hex")}`;
      return `${effect.kind} ${effect.kept.number} ${effect.kept.answer.toString("hex")} to ${effect.asker}`;
    });
  });
}

describe("the device's turns in protocol 2.0 (shtrih-protocol 2.2)", () => {
  it("answer a question with type II under 0 while nothing was carried out", () => {
    expect(played([question])).toEqual(["send-kept 0  to a"]);
  });

  it("carry out the frame under the next number, the first of which is 1", () => {
    expect(played([command(1), answered(ANSWER), command(2)])).toEqual([
      "execute 101e000000",
      "send-answer 1 1000 to a",
      "execute 101e000000",
    ]);
  });

  it("give the kept answer to a question, to the same number, whatever it carries, and to any other one", () => {
    const sent = "send-kept 1 1000 to a";
    const inputs = [question, command(1), command(1, BEEP), command(7), command(0), command(65_535)];
    expect(played([command(1), answered(ANSWER), ...inputs]).slice(2)).toEqual(inputs.map(() => sent));
  });

  it("carry out no number but 1 after the power came", () => {
    expect(played([command(0), command(2), command(65_535)])).toEqual(Array(3).fill("send-kept 0  to a"));
  });

  it("count on from 65535 with 0", () => {
    const late: NumberedTurnState<string> = { name: "idle", kept: { number: 65_535, answer: ANSWER } };
    expect(played([command(1), command(0)], late)).toEqual(["send-kept 65535 1000 to a", "execute 101e000000"]);
  });

  it("let what comes while a command is carried out wait, and carry nothing out twice", () => {
    expect(played([command(1), command(1), question, command(2, BEEP, "b"), command(2, BEEP, "b"), answered(ANSWER)])).toEqual([
      "execute 101e000000",
      "send-answer 1 1000 to a",
      "send-kept 1 1000 to a",
      "send-kept 1 1000 to a",
      "execute 131e000000",
    ]);
  });

  it("let no more wait than a port's buffer holds", () => {
    const many = Array.from({ length: 1_000 }, () => question);
    expect(played([command(1), ...many, answered(ANSWER)])).toHaveLength(2 + 64);
  });

  it("count nothing that is as if it had never come", () => {
    expect(played([command(1), { kind: "unheard" }, question, command(1)])).toEqual([
      "execute 101e000000",
      "send-kept 0  to a",
      "execute 101e000000",
    ]);
  });

  it("say nothing to a frame without data, which only a device sends", () => {
    expect(played([command(1, Buffer.alloc(0))])).toEqual([]);
  });
});
