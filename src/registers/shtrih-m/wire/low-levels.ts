import * as enquired from "./dialogue.ts";
import * as numbered from "./dialogue-numbered.ts";
import { FrameParser, frameOf, type Token } from "./frame.ts";
import { NumberedParser, type NumberedToken } from "./frame-numbered.ts";
import { greetingsOf, type LowLevel } from "./low-level.ts";

/**
 * Protocol 1.0: ENQ asks whether the device is ready, and frames are acknowledged. An exchange passes its number of unanswered ENQs to the
 * next exchange.
 */
export const ENQUIRED: LowLevel<enquired.State, Token, number> = {
  parser: () => new FrameParser(),
  begin(request, { open, left = 0, timing }) {
    const { data, reactionMs: _, ...command } = request;
    const turn = { ...command, frame: frameOf(data), greetings: greetingsOf(request, timing), timing };
    return enquired.begin(turn, { open, unanswered: left });
  },
  transition: enquired.transition,
  ended(state) {
    if (state.name !== "ended") return undefined;
    const { unanswered, stale } = state.memory;
    return { result: state.result, stale, left: unanswered };
  },
};

/** Protocol 2.0: frames are numbered, and each number is carried out once. */
export const NUMBERED: LowLevel<numbered.State, NumberedToken, numbered.Left> = {
  parser: () => new NumberedParser(),
  begin: (request, { open, left, timing }) => numbered.begin(numbered.turnOf(request, timing), { open, left }),
  transition: numbered.transition,
  ended: numbered.ended,
};
