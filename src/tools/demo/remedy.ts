import { readErrors } from "../sandbox/caller/fiscal-answer.ts";
import type { Answer } from "./stage.ts";

/** What a cashier does about an answer other than the one hoped for. */
type Remedy =
  /** Nobody knows whether it was registered, or it is being registered: the very same request is sent again. */
  | { kind: "ask-again"; words: string }
  /** Nothing was registered: the register is looked after, then the document is made anew. */
  | { kind: "tend"; words: string }
  /** Nothing was registered: the shift is closed, another opened, and the document made in that. */
  | { kind: "renew-shift"; words: string };

const RUNNING = 50003;
const IN_DOUBT = 50004;
const SHIFT_EXPIRED = 51002;
/** The register refused, its documents wait, its drive is full; it cannot be reached (platform-contracts 4.7). */
const REGISTER_TROUBLES = [50020, 51040, 51041, 50030];

/** By the code that the till shows; undefined where the answer is final. */
export function remedyFor({ status, body }: Answer): Remedy | undefined {
  if (status === 200) return undefined;
  const [error] = readErrors(body);
  if (error === undefined) return undefined;
  const words = `${status} ${error.code}: ${error.message}`;
  if (error.code === RUNNING || error.code === IN_DOUBT) return { kind: "ask-again", words };
  if (error.code === SHIFT_EXPIRED) return { kind: "renew-shift", words };
  return REGISTER_TROUBLES.includes(error.code) ? { kind: "tend", words } : undefined;
}
