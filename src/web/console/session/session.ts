import type { Chance, Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Seal } from "../../../security/seal.ts";
import { csrfOf } from "../../own-requests.ts";
import { type StoredSession, storedSession } from "./session-schema.ts";

export interface ConsoleSession {
  login: string;
  expiresAtMs: number;
  /** Stands in every form: the page that acts belongs to this session. */
  csrf: string;
}

/** A working day. */
const SESSION_MS = 9 * 3_600_000;
/** Sessions that were ended by hand and whose time is not over. Beyond this number the oldest is forgotten. */
const MAX_ENDED = 10_000;
const PLACE = "pages/console/session";

/** Sessions of the console. The text of a session is sealed and says everything, so that a restart ends none. */
export class ConsoleSessions {
  readonly #seal: Seal;
  readonly #clock: Clock;
  readonly #chance: Chance;
  readonly #isUser: (login: string) => boolean;
  readonly #ended = new Set<string>();

  constructor(services: { seal: Seal; clock: Clock; chance: Chance; isUser(login: string): boolean }) {
    this.#seal = services.seal;
    this.#clock = services.clock;
    this.#chance = services.chance;
    this.#isUser = services.isUser;
  }

  begin(login: string): { text: string; lastsMs: number } {
    const stored: StoredSession = { login, expiresAtMs: this.#clock.nowMs() + SESSION_MS, id: this.#chance.uuid() };
    return { text: this.#seal.seal(JSON.stringify(stored), PLACE), lastsMs: SESSION_MS };
  }

  /** Undefined: the text is no session of this server, its time is over, it was ended, or its login is gone. */
  open(text: string): ConsoleSession | undefined {
    const stored = this.#read(text);
    if (stored === undefined || stored.expiresAtMs <= this.#clock.nowMs()) return undefined;
    if (this.#ended.has(stored.id) || !this.#isUser(stored.login)) return undefined;
    return { login: stored.login, expiresAtMs: stored.expiresAtMs, csrf: csrfOf(text) };
  }

  end(text: string): void {
    const stored = this.#read(text);
    if (stored === undefined) return;
    const [oldest] = this.#ended;
    if (this.#ended.size >= MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
    this.#ended.add(stored.id);
  }

  #read(text: string): StoredSession | undefined {
    try {
      const read = storedSession.safeParse(JSON.parse(this.#seal.open(text, PLACE)));
      return read.success ? read.data : undefined;
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }
}
