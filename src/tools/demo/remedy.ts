import { readErrors } from "../sandbox/caller/fiscal-answer.ts";
import type { Answer } from "./stage.ts";

/** A cashier's action after a refusal. `words`: for the demo's notes. */
type Remedy =
  /** The document may be registered, or is being registered. The cashier mends the register, and sends the same document again. */
  | { kind: "ask-again"; words: string }
  /** Nothing was registered. The cashier mends the register, and sends the same document again. */
  | { kind: "tend"; words: string }
  /** Nothing was registered. The cashier closes the shift, opens another shift and makes the document there. */
  | { kind: "renew-shift"; words: string };

const RUNNING = 50003;
const IN_DOUBT = 50004;
const SHIFT_EXPIRED = 51002;
/**
 * Codes of interface 6, Error codes, in this order: the register refused; its documents wait for the data operator; its drive is at its
 * end; the register is unreachable.
 */
const REGISTER_TROUBLES = [50020, 51040, 51041, 50030];

/** Returns the remedy for the code of the answer. Undefined: the answer is final. */
export function remedyFor({ status, body }: Answer): Remedy | undefined {
  if (status === 200) return undefined;
  const [error] = readErrors(body);
  if (error === undefined) return undefined;
  const words = `${status} ${error.code}: ${error.message}`;
  if (error.code === RUNNING || error.code === IN_DOUBT) return { kind: "ask-again", words };
  if (error.code === SHIFT_EXPIRED) return { kind: "renew-shift", words };
  return REGISTER_TROUBLES.includes(error.code) ? { kind: "tend", words } : undefined;
}
