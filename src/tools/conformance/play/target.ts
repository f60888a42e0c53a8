import type { PlatformProfile } from "../../../kernel/platform-profile.ts";
import { withoutSlashes } from "../../../kernel/text-end.ts";
import type { Solution } from "../../sandbox/caller/installation.ts";
import { textAt } from "../descriptor/find.ts";
import type { DescriptorFile } from "../descriptor/read.ts";

/** The address of one contract of a server. */
export interface Base {
  /** `http://127.0.0.1:8080`. */
  origin: string;
  /** `/vendor`, without a slash at the end. */
  path: string;
}

/** The server under examination. */
export interface Target {
  solution: Solution;
  /** True when credentials were given for this run; otherwise the development set is used. */
  ownCredentials: boolean;
  profile: PlatformProfile;
  vendor: Base | undefined;
  fiscal: Base | undefined;
  qr: Base | undefined;
  /** Undefined: wherever the server says that it is. */
  loyalty: Base | undefined;
  descriptor: DescriptorFile | undefined;
}

/** Paths of the contracts when there is no descriptor. */
const DEFAULT_PATHS = { vendor: "/vendor", fiscal: "/fiscal", qr: "/qr", loyalty: "/loyalty" };

/**
 * Addresses of the contracts: from the descriptor when there is one, otherwise below the given address. With both, the
 * descriptor's paths are called at the given address, because a test server does not run at the published host.
 */
export function basesOf(
  base: string | undefined,
  descriptor: DescriptorFile | undefined,
): Pick<Target, "vendor" | "fiscal" | "qr" | "loyalty"> {
  return {
    vendor: baseOf(base, descriptor, "vendor"),
    fiscal: baseOf(base, descriptor, "fiscal"),
    qr: qrBaseOf(base, descriptor),
    // No descriptor says where the programme is: the solution tells it by a call.
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

/** A descriptor may be printed before QR payment is declared in it. The given address then has the contract in its usual place. */
function qrBaseOf(base: string | undefined, descriptor: DescriptorFile | undefined): Base | undefined {
  const root = descriptor?.read.kind === "root" ? descriptor.read.root : undefined;
  // The platform calls the first provider only (platform-contracts 5.1).
  const published = root === undefined ? undefined : textAt(root, "qrPayApi", "paymentProvider", "endpointBase");
  if (published === undefined) return base === undefined ? undefined : split(base + DEFAULT_PATHS.qr);
  const declared = split(published);
  if (base === undefined || declared === undefined) return declared;
  const at = split(base);
  return at === undefined ? undefined : { origin: at.origin, path: at.path + declared.path };
}

/** Undefined: it is no address. */
export function split(address: string): Base | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname } = new URL(address);
  return { origin, path: withoutSlashes(pathname) };
}

/** An account whose programme is on already, and its access key. */
export interface LoyaltyGiven {
  readonly accountId: string;
  readonly key: string;
}
