import { createHash } from "node:crypto";
import type { Chance, Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Seal } from "../../../security/seal.ts";
import { csrfOf } from "../../own-requests.ts";
import { isInForce } from "../../session-life.ts";
import { type StoredSession, storedSession } from "./session-schema.ts";
import type { ConsoleUser } from "./users.ts";

export interface ConsoleSession {
  login: string;
  expiresAtMs: number;
  /** The token in every form. It proves that the page belongs to this session. */
  csrf: string;
}

/** How long a session lasts: a working day. */
const SESSION_MS = 9 * 3_600_000;
const PLACE = "pages/console/session";

interface EndedSessions {
  add(session: Pick<StoredSession, "id" | "expiresAtMs">): Promise<void>;
  has(session: Pick<StoredSession, "id" | "expiresAtMs">): Promise<boolean>;
}

/** Sessions of the console. The browser keeps a session as a sealed text, so the session survives a restart of the server. */
export class ConsoleSessions {
  readonly #seal: Seal;
  readonly #clock: Clock;
  readonly #chance: Chance;
  readonly #users: readonly ConsoleUser[];
  readonly #ended: EndedSessions;

  constructor(services: { seal: Seal; clock: Clock; chance: Chance; users: readonly ConsoleUser[]; ended: EndedSessions }) {
    this.#seal = services.seal;
    this.#clock = services.clock;
    this.#chance = services.chance;
    this.#users = services.users;
    this.#ended = services.ended;
  }

  begin(login: string): { text: string; lastsMs: number } {
    const expiresAtMs = this.#clock.nowMs() + SESSION_MS;
    const stored: StoredSession = { login, password: this.#passwordOf(login) ?? "", expiresAtMs, id: this.#chance.uuid() };
    return { text: this.#seal.seal(JSON.stringify(stored), PLACE), lastsMs: SESSION_MS };
  }

  /**
   * Opens the text of a session. Undefined: the text is not from this server, the session expired or was ended, or the login was removed or
   * has a new password.
   */
  async open(text: string): Promise<ConsoleSession | undefined> {
    const stored = this.#read(text);
    if (stored === undefined || !isInForce(stored.expiresAtMs, this.#clock.nowMs(), SESSION_MS)) return undefined;
    if (this.#passwordOf(stored.login) !== stored.password || (await this.#ended.has(stored))) return undefined;
    return { login: stored.login, expiresAtMs: stored.expiresAtMs, csrf: csrfOf(text) };
  }

  /**
   * Ends a session. Ignores an invalid text. A session that has expired is ended too: the clock may be ahead, and the session would be valid
   * again when the clock is right. Safe to repeat.
   */
  async end(text: string): Promise<void> {
    const stored = this.#read(text);
    if (stored !== undefined && !(await this.#ended.has(stored))) await this.#ended.add(stored);
  }

  /** Returns a hash that changes with the password of the login. Undefined: no such login. */
  #passwordOf(login: string): string | undefined {
    const user = this.#users.find((one) => one.login === login);
    return user === undefined ? undefined : createHash("sha256").update(`console ${user.passwordHash.reveal()}`).digest("base64url");
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
