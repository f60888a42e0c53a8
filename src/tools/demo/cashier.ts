import { Failure } from "../../kernel/failure.ts";
import type { TillContext } from "../sandbox/caller/bodies.ts";
import type { Call } from "../sandbox/caller/call.ts";
import { fiscalCall, sendFiscalCall } from "../sandbox/caller/fiscal-call.ts";
import type { FiscalOperation } from "../sandbox/caller/fiscal-operation.ts";
import type { Cast } from "./cast.ts";
import type { Kill } from "./kill-plan.ts";
import { remedyFor } from "./remedy.ts";
import type { Answer } from "./stage.ts";
import type { BodyOf } from "./steps.ts";

/**
 * The attempts for one document. Before the last attempt the register gets paper and power, and is repaired. So a further failure is a
 * fault of the program.
 */
const MAX_ATTEMPTS = 10;
const SHIFT_NUMBER_DIGITS = 5;

export interface AnsweredRequest {
  call: Call;
  answer: Answer;
}

/**
 * Sends documents as a till does. After an error, does what the message asks the cashier to do: repeats a request with an unknown outcome,
 * mends the register, or opens another shift.
 */
export class Cashier {
  readonly #cast: Cast;
  readonly #renewShift: () => Promise<void>;
  #till: TillContext;

  constructor(cast: Cast, renewShift: () => Promise<void>) {
    this.#cast = cast;
    this.#renewShift = renewShift;
    this.#till = cast.till;
  }

  /** Later documents belong to the new shift of the platform. */
  takeNewShift(): void {
    const shiftName = String(Number(this.#till.shiftName) + 1).padStart(SHIFT_NUMBER_DIGITS, "0");
    this.#till = { ...this.#till, shiftId: this.#cast.chance.uuid(), shiftName };
  }

  /**
   * Sends the document until its answer is final, at most MAX_ATTEMPTS times. Without a `RegisterCare` every answer is final. The kills
   * happen during the first attempt.
   */
  async ask(operation: FiscalOperation, body: BodyOf, kills: readonly Kill[]): Promise<AnsweredRequest> {
    const { care, solution, installation, note } = this.#cast;
    let shouldDie = kills;
    for (let attempt = 1; ; attempt += 1) {
      const call = fiscalCall(operation, body(this.#till), solution, installation);
      const answer = await this.send(call, shouldDie);
      const remedy = care === undefined || attempt === MAX_ATTEMPTS ? undefined : remedyFor(answer);
      if (remedy === undefined || care === undefined) return { call, answer };
      shouldDie = [];
      note(`${operation} answered ${remedy.words}`);
      if (remedy.kind === "renew-shift") await this.#renewShift();
      else await care.tend(attempt);
    }
  }

  /**
   * Sends a request as `Stage.ask` does, and repeats the request while the answer is "still being processed". Meanwhile a `RegisterCare`
   * switches on a register that loses its power.
   */
  send(call: Call, kills: readonly Kill[]): Promise<Answer> {
    const { care, stage } = this.#cast;
    const work = () => stage.ask(call, sendFiscalCall, kills, ({ status }) => status === 200);
    return care === undefined ? work() : care.during(work);
  }
}

export function wrong(reason: string): Failure {
  return new Failure("wrong-answer", "fault", reason);
}
