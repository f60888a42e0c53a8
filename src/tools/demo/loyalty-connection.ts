import { type Clock, pause } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { LoyaltySettings } from "../sandbox/caller/loyalty/settings.ts";

/**
 * The longest wait for the loyalty settings. The server checks every two seconds whether it has to send them. A server whose first try came
 * too early, or that was killed, needs longer.
 */
const TOLD_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** The loyalty settings of the account that the server has sent to the platform. */
export class LoyaltyConnection {
  #settings: Partial<LoyaltySettings> = {};

  /** Stores the settings that the server has sent. Other settings stay unchanged. */
  keep(named: Partial<LoyaltySettings>): void {
    this.#settings = { ...this.#settings, ...named };
  }

  /** The access key that the server has sent last. Throws a Failure when it has sent none. */
  get token(): string {
    const { token } = this.#settings;
    if (token === undefined) throw new Failure("wrong-answer", "fault", "the server has told no loyalty programme");
    return token;
  }

  /** Resolves after the server has sent its loyalty settings. Throws a Failure when it does not do so in time. */
  async told(clock: Clock, signal: AbortSignal): Promise<void> {
    const endMs = clock.monotonicMs() + TOLD_LIMIT_MS;
    while (this.#settings.token === undefined) {
      if (clock.monotonicMs() > endMs || signal.aborted)
        throw new Failure("wrong-answer", "fault", "the server did not tell the platform where its loyalty programme is");
      await pause(clock, LOOK_EVERY_MS, signal);
    }
  }
}
