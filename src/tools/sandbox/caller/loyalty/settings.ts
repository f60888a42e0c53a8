/** A solution's loyalty programme: the URL and the token for the account's tills (platform-contracts 3.8). */
export interface LoyaltySettings {
  readonly url: string;
  readonly token: string;
  readonly externalSearch: boolean;
}

const FITS: { readonly [Name in keyof LoyaltySettings]: (value: unknown) => boolean } = {
  url: (value) => typeof value === "string" && /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
  token: (value) => typeof value === "string" && value !== "",
  externalSearch: (value) => typeof value === "boolean",
};

const NAMES = Object.keys(FITS) as readonly (keyof LoyaltySettings)[];

/** Reads the settings. PUT needs all of them, PATCH at least one. */
export function readLoyalty(
  body: Buffer,
  method: "PUT" | "PATCH",
): { readonly named: Partial<LoyaltySettings> } | { readonly problem: string } {
  const sent = objectIn(body);
  if (sent === undefined) return { problem: "the body is no JSON object" };
  const named = NAMES.filter((name) => sent.has(name));
  const missing = NAMES.filter((name) => !sent.has(name));
  if (method === "PUT" && missing.length > 0) return { problem: `${missing.join(", ")} is missing` };
  if (named.length === 0) return { problem: `none of ${NAMES.join(", ")} is there` };
  const wrong = named.filter((name) => !FITS[name](sent.get(name)));
  if (wrong.length > 0) return { problem: `${wrong.join(", ")} is not what it has to be` };
  return { named: Object.fromEntries(named.map((name) => [name, sent.get(name)])) };
}

function objectIn(body: Buffer): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
