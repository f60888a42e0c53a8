import type { ProfileName } from "../../caller/names.ts";

/** The platform's own headers (json-api 1), and the first part of error links. */
export interface HeaderNames {
  // Request headers.
  readonly milliseconds: string;
  readonly precision: string;
  readonly pretty: string;
  readonly muteByPrefix: string;
  readonly muteAll: string;
  readonly linkSeconds: string;
  readonly beta: string;
  // Answer headers.
  /** No header: the first part of an error's link. The code follows. */
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

/** The first part of error links (json-api 10.1). The code follows. */
const ERROR_LINKS: Record<ProfileName, string> = {
  canonical: "https://docs.platform.example/errors#",
  production: "https://dev.moysklad.ru/doc/api/remap/1.2/#error_",
};

/** Headers with the same names under both profiles. */
export const RATE_LIMIT = "X-RateLimit-Limit";
export const RATE_REMAINING = "X-RateLimit-Remaining";
