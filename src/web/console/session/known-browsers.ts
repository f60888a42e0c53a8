import type { Chance, Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Seal } from "../../../security/seal.ts";
import { storedBrowser } from "./session-schema.ts";

/** How long a browser stays known after a login. People who come less often are treated as everybody else. */
const KNOWN_MS = 180 * 24 * 3_600_000;
const PLACE = "pages/console/browser";

/**
 * Browsers in which a login has succeeded. Such a browser keeps a sealed text, which opens nothing. It only shows that wrong tries of
 * strangers need not slow this browser down.
 */
export class KnownBrowsers {
  readonly #seal: Seal;
  readonly #clock: Clock;
  readonly #chance: Chance;

  constructor(services: { seal: Seal; clock: Clock; chance: Chance }) {
    this.#seal = services.seal;
    this.#clock = services.clock;
    this.#chance = services.chance;
  }

  /** Returns the text that a browser keeps after a login. `id`: that of the browser, when it was known before. */
  remember(login: string, id = this.#chance.uuid()): { text: string; lastsMs: number } {
    const stored = { login, id, expiresAtMs: this.#clock.nowMs() + KNOWN_MS };
    return { text: this.#seal.seal(JSON.stringify(stored), PLACE), lastsMs: KNOWN_MS };
  }

  /** Returns the id of the browser that keeps this text. Undefined: the login has not succeeded in it, or long ago. */
  idOf(text: string, login: string): string | undefined {
    const read = storedBrowser.safeParse(this.#opened(text));
    const isKnown = read.success && read.data.login === login && read.data.expiresAtMs > this.#clock.nowMs();
    return isKnown ? read.data.id : undefined;
  }

  #opened(text: string): unknown {
    try {
      return JSON.parse(this.#seal.open(text, PLACE));
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }
}
