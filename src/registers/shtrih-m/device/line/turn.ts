import { ACK, frameOf, NAK, type Token } from "../../wire/frame.ts";

/*
 * The device's side of protocol 1.0 (shtrih-protocol 1.5). Pure: a state and an input give the next state and the effects.
 * `FrameParser` assembles the frames.
 *
 *   idle       ENQ: NAK. A frame: ACK, carry it out. A damaged frame: NAK. Anything else is ignored.
 *   executing  the command is being carried out, until its answer is sent (waiting) or lost (idle). ENQ: ACK. Anything else
 *              is ignored.
 *   waiting    the answer was sent. ACK: the exchange is complete. ENQ: ACK and the same answer again. A frame: the
 *              answer is dropped, and a new command begins. A damaged frame: NAK, and the answer is dropped. Anything
 *              else, and silence: pending.
 *   pending    like waiting, but ACK has no effect
 */

export type TurnState = { name: "idle" } | { name: "executing" } | { name: "waiting" | "pending"; answer: Buffer };

export type TurnInput =
  | Token
  /** The command was carried out. `data`: DATA of its answer. */
  | { kind: "answer"; data: Buffer }
  /** The command or its answer was lost. */
  | { kind: "no-answer" }
  | { kind: "silence" };

type TurnEffect =
  | { kind: "send"; bytes: Uint8Array }
  | { kind: "send-answer"; data: Buffer }
  | { kind: "execute"; data: Buffer }
  | { kind: "acknowledged" };

interface TurnStep {
  state: TurnState;
  effects: TurnEffect[];
}

export const IDLE: TurnState = { name: "idle" };

export function transition(state: TurnState, input: TurnInput): TurnStep {
  if (state.name === "executing") return whileExecuting(state, input);
  switch (input.kind) {
    case "frame":
      return { state: { name: "executing" }, effects: [{ kind: "execute", data: input.data }] };
    case "damaged":
      return { state: IDLE, effects: [send(NAK)] };
    default:
      return state.name === "idle" ? whileIdle(input) : withAnswer(state, input);
  }
}

function whileIdle(input: TurnInput): TurnStep {
  return { state: IDLE, effects: input.kind === "enq" ? [send(NAK)] : [] };
}

function whileExecuting(state: TurnState, input: TurnInput): TurnStep {
  switch (input.kind) {
    case "enq":
      return { state, effects: [send(ACK)] };
    case "answer":
      return { state: { name: "waiting", answer: input.data }, effects: [{ kind: "send-answer", data: input.data }] };
    case "no-answer":
      return { state: IDLE, effects: [] };
    default:
      return { state, effects: [] };
  }
}

function withAnswer(state: Extract<TurnState, { answer: Buffer }>, input: TurnInput): TurnStep {
  switch (input.kind) {
    case "ack":
      return state.name === "waiting" ? { state: IDLE, effects: [{ kind: "acknowledged" }] } : { state, effects: [] };
    case "enq":
      return {
        state: { name: "waiting", answer: state.answer },
        effects: [send(ACK), { kind: "send", bytes: frameOf(state.answer) }],
      };
    default:
      return { state: { name: "pending", answer: state.answer }, effects: [] };
  }
}

function send(byte: number): TurnEffect {
  return { kind: "send", bytes: Uint8Array.of(byte) };
}
