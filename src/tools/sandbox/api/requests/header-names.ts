import type { ProfileName } from "../../caller/names.ts";

/** Names of the platform's own headers (json-api 1). */
export interface HeaderNames {
  // Headers of requests.
  readonly milliseconds: string;
  readonly precision: string;
  readonly pretty: string;
  readonly muteByPrefix: string;
  readonly muteAll: string;
  readonly linkSeconds: string;
  readonly beta: string;
  // Headers of answers.
  /** The beginning of the link in an error. The code follows it. */
  readonly errorLink: string;
  readonly auth: string;
  readonly authMessage: string;
  readonly retryInterval: string;
  readonly reset: string;
  readonly retryAfter: string;
  readonly versionEnds: string;
}

const PREFIXES: Record<ProfileName, string> = { canonical: "Platform", production: "Lognex" };

export function headerNames(profile: ProfileName): HeaderNames {
  const prefix = PREFIXES[profile];
  return {
    milliseconds: `X-${prefix}-Format-Millisecond`,
    precision: `X-${prefix}-Precision`,
    pretty: `${prefix}-Pretty-Print-JSON`,
    muteByPrefix: `X-${prefix}-WebHook-DisableByPrefix`,
    muteAll: `X-${prefix}-WebHook-Disable`,
    beta: `X-${prefix}-Remap-Beta-Feature`,
    linkSeconds: `X-${prefix}-Download-Expiration-Seconds`,
    errorLink: ERROR_LINKS[profile],
    auth: `X-${prefix}-Auth`,
    authMessage: `X-${prefix}-Auth-Message`,
    retryInterval: `X-${prefix}-Retry-TimeInterval`,
    reset: `X-${prefix}-Reset`,
    retryAfter: `X-${prefix}-Retry-After`,
    versionEnds: `X-${prefix}-API-Version-Deprecated`,
  };
}

/** Beginnings of the links in errors (json-api 10.1). The code follows them. */
const ERROR_LINKS: Record<ProfileName, string> = {
  canonical: "https://docs.platform.example/errors#",
  production: "https://dev.moysklad.ru/doc/api/remap/1.2/#error_",
};

/** The names of headers that are the same under both profiles. */
export const RATE_LIMIT = "X-RateLimit-Limit";
export const RATE_REMAINING = "X-RateLimit-Remaining";
