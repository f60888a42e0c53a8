import type { PlatformProfile } from "../../../kernel/platform-profile.ts";
import { withoutSlashes } from "../../../kernel/text-end.ts";
import type { Solution } from "../../sandbox/caller/installation.ts";
import { textAt } from "../descriptor/find.ts";
import type { DescriptorFile } from "../descriptor/read.ts";

export interface Base {
  /** The origin, such as `http://127.0.0.1:8080`. */
  origin: string;
  /** The path, such as `/vendor`, without a final slash. */
  path: string;
}

export interface Target {
  solution: Solution;
  /** Whether the run uses other credentials than the development set. */
  ownCredentials: boolean;
  profile: PlatformProfile;
  vendor: Base | undefined;
  fiscal: Base | undefined;
  qr: Base | undefined;
  /** Undefined: the server itself sends the address. */
  loyalty: Base | undefined;
  descriptor: DescriptorFile | undefined;
}

/**
 * The usual paths. Without a descriptor they are used for all contracts. With a descriptor they are used only for loyalty and for
 * undeclared QR payment.
 */
const DEFAULT_PATHS = { vendor: "/vendor", fiscal: "/fiscal", qr: "/qr", loyalty: "/loyalty" };

/**
 * Returns the addresses of the contracts. Without a descriptor: the usual paths below the given address. Without a given address: the
 * descriptor's addresses. With both: the descriptor's paths at the given address, because a test server does not run at the published host.
 */
export function basesOf(
  base: string | undefined,
  descriptor: DescriptorFile | undefined,
): Pick<Target, "vendor" | "fiscal" | "qr" | "loyalty"> {
  return {
    vendor: baseOf(base, descriptor, "vendor"),
    fiscal: baseOf(base, descriptor, "fiscal"),
    qr: qrBaseOf(base, descriptor),
    // No descriptor contains the programme's address. The solution sends the address to the platform.
    loyalty: base === undefined ? undefined : split(base + DEFAULT_PATHS.loyalty),
  };
}

function baseOf(base: string | undefined, descriptor: DescriptorFile | undefined, contract: "vendor" | "fiscal"): Base | undefined {
  if (descriptor === undefined) return base === undefined ? undefined : split(base + DEFAULT_PATHS[contract]);
  const root = descriptor.read.kind === "root" ? descriptor.read.root : undefined;
  const published = root === undefined ? undefined : split(textAt(root, `${contract}Api`, "endpointBase") ?? "");
  if (published === undefined || base === undefined) return published;
  const at = split(base);
  return at === undefined ? undefined : { origin: at.origin, path: at.path + published.path };
}

/** A descriptor may not declare QR payment. The contract then has its usual path at the given address. */
function qrBaseOf(base: string | undefined, descriptor: DescriptorFile | undefined): Base | undefined {
  const root = descriptor?.read.kind === "root" ? descriptor.read.root : undefined;
  // The platform calls only the first provider (platform-contracts 5.1).
  const published = root === undefined ? undefined : textAt(root, "qrPayApi", "paymentProvider", "endpointBase");
  if (published === undefined) return base === undefined ? undefined : split(base + DEFAULT_PATHS.qr);
  const declared = split(published);
  if (base === undefined || declared === undefined) return declared;
  const at = split(base);
  return at === undefined ? undefined : { origin: at.origin, path: at.path + declared.path };
}

/** Splits an address into origin and path. Undefined: not an address. */
export function split(address: string): Base | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname } = new URL(address);
  return { origin, path: withoutSlashes(pathname) };
}

/** An account with an active programme, and its access key. */
export interface LoyaltyGiven {
  readonly accountId: string;
  readonly key: string;
}
