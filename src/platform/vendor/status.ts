import { pathOf, type Trouble, type VendorBounds, type VendorLine } from "./line.ts";
import { type StatusBody, statusBodySchema } from "./schema.ts";
import { has, type Told } from "./told.ts";

/** One customer's copy of one entry of the catalogue. */
export interface InstallationId {
  readonly appId: string;
  readonly accountId: string;
}

/** What we may report. */
export type ReportableStatus = "Activating" | "SettingsRequired" | "Activated";

type StatusReading =
  | ({ readonly kind: "installed" } & StatusBody)
  /** 404 with 2004: not installed there, or no such account. */
  | { readonly kind: "not-installed"; readonly told: Told }
  | Trouble;

export type StatusResult =
  /** The platform has the status, also when it had it before. */
  | { readonly kind: "told" }
  /** 404 in the platform's own words; a page instead of them is `refused`: some other server's address. */
  | { readonly kind: "not-installed"; readonly told: Told }
  /** 409: the lifecycle of the installation has no such step now. */
  | { readonly kind: "no-such-step"; readonly told: Told }
  | Trouble;

/** How the platform sees the installation (platform-contracts 3.6, 3.8). */
export async function readStatus(line: VendorLine, id: InstallationId, bounds: VendorBounds = {}): Promise<StatusReading> {
  const call = { appId: id.appId, method: "GET", path: pathOf(id, "status"), again: "harmless", bounds } as const;
  const { answer } = await line.call(call);
  if (answer.kind === "refused" && answer.told.status === 404 && has(answer.told, 2004))
    return { kind: "not-installed", told: answer.told };
  if (answer.kind !== "good") return answer;
  const read = statusBodySchema.safeParse(answer.body);
  if (!read.success) return { kind: "unavailable", told: { status: answer.status, words: "the answer names no status", errors: [] } };
  return { kind: "installed", ...read.data };
}

/**
 * Tells the platform the status of an installation; not after the same was answered in the activation itself (platform-contracts
 * 3.8). Safe to repeat.
 */
export async function tellStatus(
  line: VendorLine,
  id: InstallationId,
  status: ReportableStatus,
  bounds: VendorBounds = {},
): Promise<StatusResult> {
  const call = { appId: id.appId, method: "PUT", path: pathOf(id, "status"), body: { status }, again: "harmless", bounds } as const;
  const { answer } = await line.call(call);
  if (answer.kind === "good") return { kind: "told" };
  if (answer.kind !== "refused") return answer;
  const { told } = answer;
  // No code is documented here; that the platform itself has answered shows in the form of the body.
  if (told.status === 404 && told.errors.length > 0) return { kind: "not-installed", told };
  return told.status === 409 ? { kind: "no-such-step", told } : answer;
}
