import { readErrors } from "../sandbox/caller/fiscal-answer.ts";
import type { Answer } from "./stage.ts";

/** What a cashier does after a refusal. */
type Remedy =
  /** The document may be registered, or is being registered: the same request is sent again. */
  | { kind: "ask-again"; words: string }
  /** Nothing was registered: the cashier looks after the register, then makes the document anew. */
  | { kind: "tend"; words: string }
  /** Nothing was registered: the cashier closes the shift, opens another and makes the document there. */
  | { kind: "renew-shift"; words: string };

const RUNNING = 50003;
const IN_DOUBT = 50004;
const SHIFT_EXPIRED = 51002;
/**
 * Codes for: the register refused, its documents wait for the operator, its drive is full, it cannot be reached (platform-contracts
 * 4.7).
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
