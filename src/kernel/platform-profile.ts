/**
 * The platform's names: headers, a path segment, addresses (platform-contracts 1). `canonical` is for tests and the sandbox, `production`
 * is the real platform. The server accepts only the header names of the active profile. The sandbox does not use this file: it has its own
 * list of names.
 */
export interface PlatformProfile {
  name: PlatformProfileName;
  headers: PlatformHeaders;
  /** The segment of the vendor path: `/api/{segment}/vendor/1.0`. The platform adds the path to the server's base address. */
  vendorSegment: string;
  /** The platform's JSON API, without a slash at the end. */
  baseUrl: string;
  /** The address to which this server sends its calls of the vendor contract. */
  appsUrl: string;
  /** The web application that shows this server's pages in a frame. */
  uiUrl: string;
  /** XML namespace of the descriptor. It is a name, not an address, so it does not change with `appsUrl`. */
  descriptorNamespace: string;
  descriptorSchemaUrl: string;
  qrJwksUrl: string;
  qrIssuer: string;
}

export type PlatformProfileName = "canonical" | "production";

/** Header names as written. Compare them without regard to case. */
export interface PlatformHeaders {
  fiscalSignature: string;
  fiscalAccountId: string;
  loyaltyToken: string;
  /** Never required: some proxies drop headers with underscores. */
  requestId: string;
  auth: string;
  authMessage: string;
  formatMillisecond: string;
  prettyPrintJson: string;
  acceptRegion: string;
  /** The length of the time window of the rate limit, in ms (json-api 11.1). */
  retryInterval: string;
  /** The pause after a 429, in ms (json-api 11.1). */
  retryAfter: string;
  /**
   * Request header, may be repeated. The platform sends no webhook about this request to an address that begins with a value of this header
   * (json-api 9.6).
   */
  muteByPrefix: string;
  /** Request header: the number of seconds for which a download link stays valid (json-api 15). */
  downloadExpiration: string;
}

export const PLATFORM_PROFILE_NAMES: readonly PlatformProfileName[] = ["canonical", "production"];

export const PLATFORM_PROFILES: Record<PlatformProfileName, PlatformProfile> = {
  canonical: {
    name: "canonical",
    headers: {
      fiscalSignature: "X-Platform-Fiscal-Signature",
      fiscalAccountId: "X-Platform-Fiscal-Account-Id",
      loyaltyToken: "Platform-Discount-API-Auth-Token",
      requestId: "X_Platform_RequestId",
      auth: "X-Platform-Auth",
      authMessage: "X-Platform-Auth-Message",
      formatMillisecond: "X-Platform-Format-Millisecond",
      prettyPrintJson: "Platform-Pretty-Print-JSON",
      acceptRegion: "X-Platform-Accept-Region",
      retryInterval: "X-Platform-Retry-TimeInterval",
      retryAfter: "X-Platform-Retry-After",
      muteByPrefix: "X-Platform-WebHook-DisableByPrefix",
      downloadExpiration: "X-Platform-Download-Expiration-Seconds",
    },
    vendorSegment: "platform",
    baseUrl: "https://api.platform.example",
    appsUrl: "https://apps-api.platform.example",
    uiUrl: "https://online.platform.example",
    descriptorNamespace: "https://apps-api.platform.example/xml/ns/appstore/app/v2",
    descriptorSchemaUrl: "https://apps-api.platform.example/xml/ns/appstore/app/v2/application-v2.xsd",
    qrJwksUrl: "https://pay-qr.platform.example/.well-known/jwks.json",
    qrIssuer: "https://platform.example",
  },
  production: {
    name: "production",
    headers: {
      fiscalSignature: "X-Lognex-Fiscal-Signature",
      fiscalAccountId: "X-Lognex-Fiscal-Account-Id",
      loyaltyToken: "Lognex-Discount-API-Auth-Token",
      requestId: "X_Lognex_RequestId",
      auth: "X-Lognex-Auth",
      authMessage: "X-Lognex-Auth-Message",
      formatMillisecond: "X-Lognex-Format-Millisecond",
      prettyPrintJson: "Lognex-Pretty-Print-JSON",
      acceptRegion: "X-Lognex-Accept-Region",
      retryInterval: "X-Lognex-Retry-TimeInterval",
      retryAfter: "X-Lognex-Retry-After",
      muteByPrefix: "X-Lognex-WebHook-DisableByPrefix",
      downloadExpiration: "X-Lognex-Download-Expiration-Seconds",
    },
    vendorSegment: "moysklad",
    baseUrl: "https://api.moysklad.ru",
    appsUrl: "https://apps-api.moysklad.ru",
    uiUrl: "https://online.moysklad.ru",
    descriptorNamespace: "https://apps-api.moysklad.ru/xml/ns/appstore/app/v2",
    descriptorSchemaUrl: "https://apps-api.moysklad.ru/xml/ns/appstore/app/v2/application-v2.xsd",
    qrJwksUrl: "https://pay-qr.moysklad.ru/.well-known/jwks.json",
    qrIssuer: "https://moysklad.ru",
  },
};

/** Returns the path of the vendor calls at this server, for example `/api/platform/vendor/1.0`. */
export function vendorPath(profile: PlatformProfile): string {
  return `/api/${profile.vendorSegment}/vendor/1.0`;
}
