import { describe, expect, it } from "vitest";
import { IDLE, type TurnInput, type TurnState, transition } from "../../../../../../src/registers/shtrih-m/device/line/turn.ts";

const answer = Buffer.from("1000", "hex");
const waiting: TurnState = { name: "waiting", answer };
const pending: TurnState = { name: "pending", answer };

function kinds(state: TurnState, input: TurnInput): string[] {
  const step = transition(state, input);
  return [
    step.state.name,
    ...step.effects.map((effect) => (effect.kind === "send" ? Buffer.from(effect.bytes).toString("hex") : effect.kind)),
  ];
}

describe("the device's turns in protocol 1.0 (shtrih-protocol 1.5)", () => {
  it("answer ENQ with NAK while idle, and ignore everything else but frames", () => {
    expect(kinds(IDLE, { kind: "enq" })).toEqual(["idle", "15"]);
    expect(kinds(IDLE, { kind: "ack" })).toEqual(["idle"]);
    expect(kinds(IDLE, { kind: "noise", byte: 0xff })).toEqual(["idle"]);
  });

  it("carry a frame out and refuse a damaged one", () => {
    expect(kinds(IDLE, { kind: "frame", data: answer })).toEqual(["executing", "execute"]);
    expect(kinds(IDLE, { kind: "damaged" })).toEqual(["idle", "15"]);
  });

  it("answer ENQ with ACK while a command is carried out, and take no other", () => {
    expect(kinds({ name: "executing" }, { kind: "enq" })).toEqual(["executing", "06"]);
    expect(kinds({ name: "executing" }, { kind: "frame", data: answer })).toEqual(["executing"]);
    expect(kinds({ name: "executing" }, { kind: "answer", data: answer })).toEqual(["waiting", "send-answer"]);
    expect(kinds({ name: "executing" }, { kind: "no-answer" })).toEqual(["idle"]);
  });

  it("keep the answer until it is acknowledged and give it again to an ENQ", () => {
    expect(kinds(waiting, { kind: "ack" })).toEqual(["idle", "acknowledged"]);
    expect(kinds(waiting, { kind: "enq" })).toEqual(["waiting", "06", "0202100012"]);
    expect(kinds(pending, { kind: "enq" })).toEqual(["waiting", "06", "0202100012"]);
  });

  it("keep it after a NAK, after silence and after any other byte, and let it go for a new command", () => {
    for (const input of [{ kind: "nak" }, { kind: "silence" }, { kind: "noise", byte: 0 }] as const) {
      expect(kinds(waiting, input)).toEqual(["pending"]);
    }
    expect(kinds(pending, { kind: "ack" })).toEqual(["pending"]);
    expect(kinds(pending, { kind: "frame", data: answer })).toEqual(["executing", "execute"]);
    expect(kinds(waiting, { kind: "frame", data: answer })).toEqual(["executing", "execute"]);
  });
});
