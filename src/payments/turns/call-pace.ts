import type { Deadline } from "../../kernel/deadline.ts";
import type { Clients } from "../clients.ts";

/** The time that a call needs after its wait. Banks usually answer within two seconds. */
const CALL_MS = 2_000;

/** Limits how often a turn asks the bank. All turns of a merchant's account share one allowance. */
export class CallPace {
  readonly #clients: Pick<Clients, "mayAsk" | "noteAsked">;
  readonly #merchant: string;
  #taken: boolean;

  /** `taken`: the caller of the turn has already counted the turn's first call. */
  constructor(clients: Pick<Clients, "mayAsk" | "noteAsked">, merchant: string, taken: boolean) {
    this.#clients = clients;
    this.#merchant = merchant;
    this.#taken = taken;
  }

  /** Waits until the bank may be asked. False: the turn has too little time left, so the next turn asks. */
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

  /** Counts a call made without waiting: the making of a payment, while a buyer is at the till. */
  noteAsked(): void {
    if (this.#taken) this.#taken = false;
    else this.#clients.noteAsked(this.#merchant);
  }
}
