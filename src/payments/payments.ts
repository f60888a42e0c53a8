import type { Clients } from "./clients.ts";
import type { PaymentServices } from "./services.ts";
import { PaymentCancellation } from "./till/cancellation.ts";
import { PaymentCreation } from "./till/creation.ts";
import { PaymentTelling } from "./till/telling.ts";
import type { CancelResult, CreateResult, StateResult, TillCall } from "./till/till-call.ts";
import type { Turns } from "./turns/turns.ts";

/** The three calls of a till (platform-contracts 5). Each call uses up its token in the transaction that records the call. */
export class Payments {
  readonly #creation: PaymentCreation;
  readonly #telling: PaymentTelling;
  readonly #cancellation: PaymentCancellation;

  constructor(services: PaymentServices, clients: Clients, turns: Turns) {
    this.#creation = new PaymentCreation(services, clients, turns);
    this.#telling = new PaymentTelling(services, clients, turns);
    this.#cancellation = new PaymentCancellation(services, clients, turns);
  }

  /** Makes a payment, or returns the code of the payment that the operation already has. */
  create(call: TillCall): Promise<CreateResult> {
    return this.#creation.create(call);
  }

  /** Answers from the store. Waits briefly for the bank only if the last reading is older than the refresh step. */
  state(call: TillCall): Promise<StateResult> {
    return this.#telling.state(call);
  }

  /** Ends the payment if the till was not told DONE. Otherwise returns money (platform-contracts 5.3). */
  cancel(call: TillCall): Promise<CancelResult> {
    return this.#cancellation.cancel(call);
  }
}
