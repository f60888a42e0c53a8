import { type Clock, pause } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { LoyaltySettings } from "../sandbox/caller/loyalty/settings.ts";

/**
 * The longest wait for the loyalty settings. The server checks every two seconds whether it has to send them. A server needs longer if it
 * was killed or if its first try came too early.
 */
const TOLD_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** The account's loyalty settings from the server. */
export class LoyaltyConnection {
  #settings: Partial<LoyaltySettings> = {};

  /** Settings that are not named stay unchanged. */
  keep(named: Partial<LoyaltySettings>): void {
    this.#settings = { ...this.#settings, ...named };
  }

  /** Throws a Failure when the server has sent no key. */
  get token(): string {
    const { token } = this.#settings;
    if (token === undefined) throw new Failure("wrong-answer", "fault", "the server has told no loyalty programme");
    return token;
  }

  /** Resolves after the server has sent its loyalty settings. Throws a Failure when they are late, or when the demo has to end. */
  async told(clock: Clock, signal: AbortSignal): Promise<void> {
    const endMs = clock.monotonicMs() + TOLD_LIMIT_MS;
    while (this.#settings.token === undefined) {
      if (clock.monotonicMs() > endMs || signal.aborted)
        throw new Failure("wrong-answer", "fault", "the server did not tell the platform where its loyalty programme is");
      await pause(clock, LOOK_EVERY_MS, signal);
    }
  }
}
