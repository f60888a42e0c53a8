import { type Answer, firstCode, firstText } from "../answers/answer.ts";
import { type HeaderNames, RATE_LIMIT, RATE_REMAINING } from "../requests/header-names.ts";
import { AUTH_NUMBERS } from "./authentication.ts";
import { RATE_UNITS, RATE_WINDOW_MS, type RateTaken } from "./rate-limit.ts";

/**
 * Returns the headers of every answer: the state of the rate limit (json-api 11.1), and the end of the requested version, if known
 * (json-api 1). After an exceeded rate limit, also the wait. After a failed login or an exceeded limit, also the extended number and the
 * text of the error. The text is percent-encoded, because a header cannot contain Russian letters.
 */
export function answerHeaders(
  answer: Answer,
  { rate, versionEnds }: { rate: RateTaken; versionEnds: string | undefined },
  names: HeaderNames,
): Record<string, string> {
  const headers: Record<string, string> = {
    [RATE_LIMIT]: String(RATE_UNITS),
    [RATE_REMAINING]: String(rate.remaining),
    [names.retryInterval]: String(RATE_WINDOW_MS),
    [names.reset]: String(rate.refused ? rate.windowEndsInMs : 0),
  };
  if (versionEnds !== undefined) headers[names.versionEnds] = versionEnds;
  if (rate.refused) headers[names.retryAfter] = String(rate.windowEndsInMs);
  const code = firstCode(answer);
  const number = code === undefined ? undefined : AUTH_NUMBERS[code];
  if (code !== undefined && number !== undefined) {
    headers[names.auth] = number;
    headers[names.authMessage] = encodeURIComponent(firstText(answer) ?? "");
  }
  return headers;
}
