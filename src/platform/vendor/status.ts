import { pathOf, type Trouble, type VendorBounds, type VendorLine } from "./line.ts";
import { has, type VendorReply } from "./reply.ts";
import { type StatusBody, statusBodySchema } from "./schema.ts";

/** One customer's installation of one catalogue entry. */
export interface InstallationId {
  readonly appId: string;
  readonly accountId: string;
}

export type ReportableStatus = "Activating" | "SettingsRequired" | "Activated";

type StatusReading =
  | ({ readonly kind: "installed" } & StatusBody)
  /** 404 with the error 2004: the solution is not installed on the account, or the account does not exist. */
  | { readonly kind: "not-installed"; readonly reply: VendorReply }
  | Trouble;

export type StatusResult =
  /** The platform has stored the status, or had it already. */
  | { readonly kind: "reported" }
  /** 404 in the platform's own form. A page of another server counts as `refused`. */
  | { readonly kind: "not-installed"; readonly reply: VendorReply }
  /** 409: the installation's lifecycle forbids this step now. */
  | { readonly kind: "no-such-step"; readonly reply: VendorReply }
  | Trouble;

/** Reads the platform's state of the installation (platform-contracts 3.6, 3.8). */
export async function readStatus(line: VendorLine, id: InstallationId, bounds: VendorBounds = {}): Promise<StatusReading> {
  const call = { appId: id.appId, method: "GET", path: pathOf(id, "status"), again: "harmless", bounds } as const;
  const { answer } = await line.call(call);
  if (answer.kind === "refused" && answer.reply.status === 404 && has(answer.reply, 2004))
    return { kind: "not-installed", reply: answer.reply };
  if (answer.kind !== "good") return answer;
  const read = statusBodySchema.safeParse(answer.body);
  if (!read.success) return { kind: "unavailable", reply: { status: answer.status, words: "the answer names no status", errors: [] } };
  return { kind: "installed", ...read.data };
}

/**
 * Reports an installation's status to the platform. Not needed if the answer to the activation stated it (platform-contracts 3.8). Safe to
 * repeat.
 */
export async function tellStatus(
  line: VendorLine,
  id: InstallationId,
  status: ReportableStatus,
  bounds: VendorBounds = {},
): Promise<StatusResult> {
  const call = { appId: id.appId, method: "PUT", path: pathOf(id, "status"), body: { status }, again: "harmless", bounds } as const;
  const { answer } = await line.call(call);
  if (answer.kind === "good") return { kind: "reported" };
  if (answer.kind !== "refused") return answer;
  const { reply } = answer;
  // No error code is documented here. The body's form proves that the platform itself answered.
  if (reply.status === 404 && reply.errors.length > 0) return { kind: "not-installed", reply };
  return reply.status === 409 ? { kind: "no-such-step", reply } : answer;
}
