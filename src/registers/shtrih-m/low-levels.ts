import * as enquired from "./dialogue.ts";
import { FrameParser, type Token } from "./frame.ts";
import type { LowLevel } from "./low-level.ts";
import * as numbered from "./numbered-dialogue.ts";
import { NumberedParser, type NumberedToken } from "./numbered-frame.ts";

/** Protocol 1.0: the device is asked by ENQ whether it is ready, frames are acknowledged. */
export const ENQUIRED: LowLevel<enquired.State, Token, number> = {
  parser: () => new FrameParser(),
  begin: (request, { open, left = 0, timing }) => enquired.begin(enquired.turnOf(request, timing), { open, unanswered: left }),
  transition: enquired.transition,
  ended: enquired.ended,
};

/** Protocol 2.0: frames are numbered, and each number is carried out once. */
export const NUMBERED: LowLevel<numbered.State, NumberedToken, numbered.Left> = {
  parser: () => new NumberedParser(),
  begin: (request, { open, left, timing }) => numbered.begin(numbered.turnOf(request, timing), { open, left }),
  transition: numbered.transition,
  ended: numbered.ended,
};
