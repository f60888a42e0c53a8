import type { Chance, Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Seal } from "../../../security/seal.ts";
import { isInForce } from "../../session-life.ts";
import { storedBrowser } from "./session-schema.ts";

/** How long a browser stays known after a login. Later it counts as a new browser. */
const KNOWN_MS = 180 * 24 * 3_600_000;
const PLACE = "pages/console/browser";

/**
 * Browsers with an earlier successful login. Such a browser keeps a sealed text about its last successful login. The text grants no access.
 * It exempts the browser from delays that strangers' wrong tries cause.
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

  /** Returns the text for the browser to store after a login. `id`: the known id of the browser. */
  remember(login: string, id = this.#chance.uuid()): { text: string; lastsMs: number } {
    const stored = { login, id, expiresAtMs: this.#clock.nowMs() + KNOWN_MS };
    return { text: this.#seal.seal(JSON.stringify(stored), PLACE), lastsMs: KNOWN_MS };
  }

  /** Returns the id of the browser with this text. Undefined: the text is not from this server, is of another login, or is too old. */
  idOf(text: string, login: string): string | undefined {
    const read = storedBrowser.safeParse(this.#opened(text));
    const isKnown = read.success && read.data.login === login && isInForce(read.data.expiresAtMs, this.#clock.nowMs(), KNOWN_MS);
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
