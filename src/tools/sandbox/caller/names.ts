/** The platform's names for a caller (platform-contracts 1). The two profiles have different names. */
export interface PlatformNames {
  signatureHeader: string;
  accountHeader: string;
  requestIdHeader: string;
  /** The path that the platform appends to the vendor base. */
  vendorSuffix: string;
  /** The header for the access key of a loyalty programme. */
  loyaltyHeader: string;
  /** The claim `iss` of QR tokens. */
  qrIssuer: string;
}

export type ProfileName = "canonical" | "production";

export const PLATFORM_NAMES: Record<ProfileName, PlatformNames> = {
  canonical: {
    signatureHeader: "X-Platform-Fiscal-Signature",
    accountHeader: "X-Platform-Fiscal-Account-Id",
    requestIdHeader: "X_Platform_RequestId",
    vendorSuffix: "/api/platform/vendor/1.0",
    loyaltyHeader: "Platform-Discount-API-Auth-Token",
    qrIssuer: "https://platform.example",
  },
  production: {
    signatureHeader: "X-Lognex-Fiscal-Signature",
    accountHeader: "X-Lognex-Fiscal-Account-Id",
    requestIdHeader: "X_Lognex_RequestId",
    vendorSuffix: "/api/moysklad/vendor/1.0",
    loyaltyHeader: "Lognex-Discount-API-Auth-Token",
    qrIssuer: "https://moysklad.ru",
  },
};
