import type { InstallationKey } from "../../../accounts/installation.ts";
import type { Chance, Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Seal } from "../../../security/seal.ts";
import { LANGUAGES, type Language } from "../../language.ts";
import { csrfOf } from "../../own-requests.ts";
import { isInForce } from "../../session-life.ts";
import { sessionSchema } from "./session-schema.ts";

/** The user of a window, as the platform stated when the session began. */
export interface PageUser extends InstallationKey {
  /** The login, or another name for people. */
  name: string;
  /** The role by the platform's name: `admin`, `cashier`, `worker`, `individual`. */
  role: string;
  administrator: boolean;
}

export interface PageSession extends PageUser {
  language: Language;
  expiresAtMs: number;
  /**
   * A page whose session comes from a cookie sends this token with every action. The token proves that the page belongs to this session.
   */
  csrf: string;
}

/** The length of a session. After it, the script of an open window asks the host for a new token. */
const SESSION_MS = 30 * 60_000;
const PLACE = "pages/settings/session";

/**
 * Sessions of the settings page. The browser keeps a session as a sealed text, and the server stores nothing, so a session survives a
 * restart. Only time ends it. Each request checks the state of the session's installation.
 */
export class PageSessions {
  readonly #seal: Seal;
  readonly #clock: Clock;
  readonly #chance: Chance;

  constructor(services: { seal: Seal; clock: Clock; chance: Chance }) {
    this.#seal = services.seal;
    this.#clock = services.clock;
    this.#chance = services.chance;
  }

  begin(user: PageUser, language: Language): { text: string; session: PageSession } {
    const expiresAtMs = this.#clock.nowMs() + SESSION_MS;
    const text = this.#seal.seal(JSON.stringify({ ...user, language, expiresAtMs, id: this.#chance.uuid() }), PLACE);
    return { text, session: { ...user, language, expiresAtMs, csrf: csrfOf(text) } };
  }

  /** Opens the text of a session. Undefined: not from this server, or expired. */
  open(text: string): PageSession | undefined {
    const opened = this.#opened(text);
    if (opened === undefined) return undefined;
    const read = sessionSchema.safeParse(JSON.parse(opened));
    if (!read.success || !isInForce(read.data.expiresAtMs, this.#clock.nowMs(), SESSION_MS)) return undefined;
    const { id: _, language, ...session } = read.data;
    return { ...session, language: LANGUAGES.find((one) => one === language) ?? "ru", csrf: csrfOf(text) };
  }

  #opened(text: string): string | undefined {
    try {
      return this.#seal.open(text, PLACE);
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }
}
