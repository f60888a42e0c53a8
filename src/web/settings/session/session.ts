import type { InstallationKey } from "../../../accounts/installation.ts";
import type { Chance, Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Seal } from "../../../security/seal.ts";
import { LANGUAGES, type Language } from "../../language.ts";
import { csrfOf } from "../../own-requests.ts";
import { sessionSchema } from "./session-schema.ts";

/** Who works in a window, as the platform has said at its beginning. */
export interface PageUser extends InstallationKey {
  /** The login, or another name for people. */
  name: string;
  /** The platform's word: `admin`, `cashier`, `worker`, `individual`. */
  role: string;
  /** May change settings. */
  administrator: boolean;
}

export interface PageSession extends PageUser {
  language: Language;
  expiresAtMs: number;
  /** Goes with every act of a page that proves itself by the cookie: the page that asked belongs to this session. */
  csrf: string;
}

/** A window that stays open asks its host for another token by itself. */
const SESSION_MS = 30 * 60_000;
const PLACE = "pages/settings/session";

/**
 * Sessions of the settings page. A session is a sealed text: the server keeps nothing of it, so that it goes on over a restart
 * of the server. It ends by time alone; whether its installation still stands is looked up with every request.
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

  /** Undefined: the text is no session of this server, or its time is over. */
  open(text: string): PageSession | undefined {
    const opened = this.#opened(text);
    if (opened === undefined) return undefined;
    const read = sessionSchema.safeParse(JSON.parse(opened));
    if (!read.success || read.data.expiresAtMs <= this.#clock.nowMs()) return undefined;
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
