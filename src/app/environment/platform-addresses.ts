import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import { isLoopback } from "../../kernel/web-address.ts";

/**
 * Returns what is wrong with the platform's addresses in production. These addresses receive the shop's secrets and deliver the keys of
 * payment tokens. An address on this machine may lack https, because a proxy on this machine may add https.
 */
export function platformProblems({ baseUrl, appsUrl, uiUrl, qrJwksUrl }: PlatformProfile): string[] {
  const addresses = [
    ["PLATFORM_BASE_URL", baseUrl],
    ["PLATFORM_APPS_URL", appsUrl],
    ["PLATFORM_UI_URL", uiUrl],
    ["QR_JWKS_URL", qrJwksUrl],
  ] as const;
  return addresses.flatMap(([name, address], index) => {
    // An address that only copies PLATFORM_BASE_URL has the same problem, which is reported once.
    if (address.startsWith("https:") || isLoopback(address) || (index > 0 && address === baseUrl)) return [];
    return [`${name} expects an https address, or one on this machine, when NODE_ENV is production; it is ${JSON.stringify(address)}`];
  });
}
