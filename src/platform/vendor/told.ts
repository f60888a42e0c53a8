import { cutText } from "../../kernel/cut-text.ts";
import type { PlatformHeaders } from "../../kernel/platform-profile.ts";
import type { Exchanged } from "../api/exchange.ts";
import { errorsIn, type PlatformError } from "../api/failure.ts";

/** Longest words of the platform's that are passed on. */
const MAX_WORDS = 200;
/** An answer is a few kilobytes, a full user context some tens; of what is no answer no more than this is looked at. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** What the platform said when it did not say yes. Holds no secret of the call: what echoes one shows it as ***. */
export interface Told {
  readonly status: number;
  /** Text of the first error, cut; empty when there is none. */
  readonly words: string;
  /** The whole array; empty when the body is not of the platform's form, as a proxy's page is not. */
  readonly errors: readonly PlatformError[];
  /** X-Platform-Auth and X-Platform-Auth-Message, which come with failures of our token. */
  readonly auth?: string;
  readonly authMessage?: string;
}

/** A body that is no JSON where JSON should be. */
export const UNREADABLE = Symbol("no JSON");

/** The body as JSON; undefined when it is empty, as it is for every call that only tells something. */
export function jsonIn({ body }: Exchanged): unknown {
  if (body.length === 0) return undefined;
  if (body.length > MAX_ANSWER_BYTES) return UNREADABLE;
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return UNREADABLE;
    throw error;
  }
}

/** `secrets`: what this call has sent and nobody may read in a log, whoever sends it back. */
export function toldIn(exchanged: Exchanged, headers: PlatformHeaders, secrets: readonly string[]): Told {
  const json = jsonIn(exchanged);
  const errors = json === UNREADABLE ? [] : (errorsIn(json) ?? []).map((error) => withoutSecrets(error, secrets));
  const auth = exchanged.headers[headers.auth.toLowerCase()];
  const authMessage = exchanged.headers[headers.authMessage.toLowerCase()];
  return {
    status: exchanged.status,
    words: cutText(errors[0]?.error ?? "", MAX_WORDS),
    errors,
    ...(auth === undefined ? {} : { auth: cutText(hidden(auth, secrets), MAX_WORDS) }),
    ...(authMessage === undefined ? {} : { authMessage: cutText(hidden(authMessage, secrets), MAX_WORDS) }),
  };
}

/** Whether one of the errors has the code. */
export function has({ errors }: Told, code: number): boolean {
  return errors.some((error) => error.code === code);
}

/** In one line, for a log or for a person. */
export function inWords({ status, words }: Told): string {
  return words === "" ? `answered ${status}` : `answered ${status}: ${words}`;
}

/** In the texts themselves, not in the bytes: a body that is sent back inside of a text is escaped twice there. */
function withoutSecrets(error: PlatformError, secrets: readonly string[]): PlatformError {
  const hide = (text: string | undefined) => (text === undefined ? undefined : hidden(text, secrets));
  return {
    ...error,
    error: hidden(error.error, secrets),
    parameter: hide(error.parameter),
    moreInfo: hide(error.moreInfo),
    dependencies: error.dependencies.map((href) => hidden(href, secrets)),
  };
}

/** The secrets as they are, and as they stand inside of JSON. */
function hidden(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .filter((secret) => secret !== "")
    .reduce((left, secret) => left.replaceAll(secret, "***"), text);
}
