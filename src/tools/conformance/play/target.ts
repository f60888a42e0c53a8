import type { PlatformProfile } from "../../../kernel/platform-profile.ts";
import { withoutSlashes } from "../../../kernel/text-end.ts";
import type { Solution } from "../../sandbox/caller/installation.ts";
import { textAt } from "../descriptor/find.ts";
import type { DescriptorFile } from "../descriptor/read.ts";

/** The address of one contract of a server. */
interface Base {
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
  descriptor: DescriptorFile | undefined;
}

/** Paths of the contracts when there is no descriptor. */
const DEFAULT_PATHS = { vendor: "/vendor", fiscal: "/fiscal" };

/**
 * Addresses of the contracts: from the descriptor when there is one, otherwise below the given address. With both, the
 * descriptor's paths are called at the given address, because a test server does not run at the published host.
 */
export function basesOf(base: string | undefined, descriptor: DescriptorFile | undefined): Pick<Target, "vendor" | "fiscal"> {
  return { vendor: baseOf(base, descriptor, "vendor"), fiscal: baseOf(base, descriptor, "fiscal") };
}

function baseOf(base: string | undefined, descriptor: DescriptorFile | undefined, contract: "vendor" | "fiscal"): Base | undefined {
  if (descriptor === undefined) return base === undefined ? undefined : split(base + DEFAULT_PATHS[contract]);
  const root = descriptor.read.kind === "root" ? descriptor.read.root : undefined;
  const published = root === undefined ? undefined : split(textAt(root, `${contract}Api`, "endpointBase") ?? "");
  if (published === undefined || base === undefined) return published;
  const at = split(base);
  return at === undefined ? undefined : { origin: at.origin, path: at.path + published.path };
}

function split(address: string): Base | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname } = new URL(address);
  return { origin, path: withoutSlashes(pathname) };
}
