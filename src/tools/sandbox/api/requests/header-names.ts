import type { ProfileName } from "../../caller/names.ts";

/** Names of the platform's own headers (reference 1), as they are written. */
export interface HeaderNames {
  // Of requests.
  readonly milliseconds: string;
  readonly precision: string;
  readonly pretty: string;
  readonly muteByPrefix: string;
  readonly muteAll: string;
  readonly linkSeconds: string;
  readonly beta: string;
  // Of answers.
  /** What the link of an error begins with; its code follows. */
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

/** Where answers say that more is told of an error (10.1): each link ends in its code. */
const ERROR_LINKS: Record<ProfileName, string> = {
  canonical: "https://docs.platform.example/errors#",
  production: "https://dev.moysklad.ru/doc/api/remap/1.2/#error_",
};

/** The same under both profiles. */
export const RATE_LIMIT = "X-RateLimit-Limit";
export const RATE_REMAINING = "X-RateLimit-Remaining";
