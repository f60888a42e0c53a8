import type { Secret } from "../../kernel/secret.ts";
import { type ButtonEnd, completeButton } from "./button.ts";
import { type VendorBounds, VendorLine, type VendorOptions } from "./line.ts";
import { changeLoyalty, connectLoyalty, type LoyaltyConnection } from "./loyalty.ts";
import { type InstallationId, type ReportableStatus, readStatus, tellStatus } from "./status.ts";
import { readUserByKey } from "./user-by-key.ts";
import { readUserByToken } from "./user-by-token.ts";

/**
 * A typed client of the platform's side of the vendor contract (platform-contracts 3.8, 3.9), for every catalogue entry that `token` signs
 * for. Safe to share. Every behaviour of the platform is a named result. Throws `unsayable` for a request that the platform would misread
 * or refuse.
 */
export function openVendorClient(options: VendorOptions) {
  const line = new VendorLine(options);
  return {
    status: (id: InstallationId, bounds?: VendorBounds) => readStatus(line, id, bounds),
    tellStatus: (id: InstallationId, status: ReportableStatus, bounds?: VendorBounds) => tellStatus(line, id, status, bounds),
    connectLoyalty: (id: InstallationId, connection: LoyaltyConnection, bounds?: VendorBounds) =>
      connectLoyalty(line, id, connection, bounds),
    changeLoyalty: (id: InstallationId, changes: Partial<LoyaltyConnection>, bounds?: VendorBounds) =>
      changeLoyalty(line, id, changes, bounds),
    completeButton: (appId: string, end: ButtonEnd, bounds?: VendorBounds) => completeButton(line, appId, end, bounds),
    userByKey: (appId: string, contextKey: Secret, bounds?: VendorBounds) => readUserByKey(line, appId, contextKey, bounds),
    userByToken: (appId: string, token: Secret, bounds?: VendorBounds) => readUserByToken(line, appId, token, bounds),
  };
}

export type VendorClient = ReturnType<typeof openVendorClient>;
