import type { Deadline } from "../../kernel/deadline.ts";
import type { Clients } from "../clients.ts";

/** Of the time of a turn, what a call needs after it has waited: banks answer within two seconds, or not at all. */
const CALL_MS = 2_000;

/** When the turns of a merchant's account may ask its bank: all their calls go by one allowance. */
export class CallPace {
  readonly #clients: Pick<Clients, "mayAsk" | "noteAsked">;
  readonly #merchant: string;
  #taken: boolean;

  /** `taken`: the allowance of the first call was taken by whoever began the turn. */
  constructor(clients: Pick<Clients, "mayAsk" | "noteAsked">, merchant: string, taken: boolean) {
    this.#clients = clients;
    this.#merchant = merchant;
    this.#taken = taken;
  }

  /** Waits until the bank may be asked. False: not while the turn has time for the call. The next turn asks then. */
  async mayAsk(turn: Deadline): Promise<boolean> {
    if (this.#taken) {
      this.#taken = false;
      return true;
    }
    return this.#clients.mayAsk(this.#merchant, {
      atMs: turn.atMs - CALL_MS,
      remainingMs: () => Math.max(0, turn.remainingMs() - CALL_MS),
    });
  }

  /** Counts a call that does not wait: the making of a payment, for which a buyer stands at the till. */
  noteAsked(): void {
    if (this.#taken) this.#taken = false;
    else this.#clients.noteAsked(this.#merchant);
  }
}
