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
    auth: `X-${prefix}-Auth`,
    authMessage: `X-${prefix}-Auth-Message`,
    retryInterval: `X-${prefix}-Retry-TimeInterval`,
    reset: `X-${prefix}-Reset`,
    retryAfter: `X-${prefix}-Retry-After`,
    versionEnds: `X-${prefix}-API-Version-Deprecated`,
  };
}

/** The same under both profiles. */
export const RATE_LIMIT = "X-RateLimit-Limit";
export const RATE_REMAINING = "X-RateLimit-Remaining";
