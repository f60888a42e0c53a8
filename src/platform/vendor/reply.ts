import { cutText } from "../../kernel/cut-text.ts";
import type { PlatformHeaders } from "../../kernel/platform-profile.ts";
import { answerJsonAtOnce } from "../api/answer-json.ts";
import type { Exchanged } from "../api/exchange.ts";
import { errorsIn, type PlatformError } from "../api/failure.ts";

const MAX_WORDS = 200;
/** The longest answer that is parsed, in bytes. An answer has a few kilobytes, a full user context tens of kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** An answer is parsed without a pause. So it may have only as many marks of structure as an answer of this length. */
const MARKS_OF_BYTES = 256 * 1024;

/** The platform's reply that is no success or cannot be read. Contains no secret of the call: an echoed secret becomes ***. */
export interface VendorReply {
  readonly status: number;
  /** Text of the first error, cut; empty without an error. */
  readonly words: string;
  /** All errors; empty when the body has another form, such as a proxy's page. */
  readonly errors: readonly PlatformError[];
  /** X-Platform-Auth and X-Platform-Auth-Message: the platform rejects this server's token. */
  readonly auth?: string;
  readonly authMessage?: string;
}

/** The body should be JSON and is not, or takes too long to parse. */
export const UNREADABLE = Symbol("no JSON");

/** The body as JSON. Undefined when it is empty, as after calls that only report something. */
export function jsonIn({ body }: Exchanged): unknown {
  if (body.length > MAX_ANSWER_BYTES) return UNREADABLE;
  const json = answerJsonAtOnce(body, MARKS_OF_BYTES);
  return json.kind === "json" ? json.value : UNREADABLE;
}

/** Reads a reply. `secrets`: the secrets that this call has sent. No log may show them, even if a server echoes them. */
export function replyIn(exchanged: Exchanged, headers: PlatformHeaders, secrets: readonly string[]): VendorReply {
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

/** True when one of the errors has the code. */
export function has({ errors }: VendorReply, code: number): boolean {
  return errors.some((error) => error.code === code);
}

/** The reply in one line, for a log or a person. */
export function inWords({ status, words }: VendorReply): string {
  return words === "" ? `answered ${status}` : `answered ${status}: ${words}`;
}

/**
 * Hides the secrets in the parsed texts. In the bytes, a text that quotes a body has the secrets escaped twice, so they would not be found.
 */
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

/** Hides the secrets, both plain and escaped for JSON. */
function hidden(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .filter((secret) => secret !== "")
    .reduce((left, secret) => left.replaceAll(secret, "***"), text);
}
