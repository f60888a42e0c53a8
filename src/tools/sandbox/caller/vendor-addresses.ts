import { type LoyaltySettings, readLoyalty } from "./loyalty/settings.ts";
import { type Judged, type OtherAddresses, type OtherCall, refuse } from "./vendor-desk.ts";

const LOYALTY = /^\/api\/vendor\/1\.0\/apps\/[^/]+\/([^/]+)\/loyalty$/;
const CONTEXT = /^\/api\/vendor\/1\.0\/context\/([^/]+)$/;
const BUTTON = /^\/api\/vendor\/1\.0\/apps\/[^/]+\/button\/complete$/;

/** The statuses in which a solution may send loyalty settings (platform-contracts 3.8). */
const LOYALTY_STATUSES = ["SettingsRequired", "Activated"];

/** What the addresses need. Each program that plays the platform provides these members. */
interface BehindAddresses {
  /** The platform's status of an installation. Undefined: not installed. */
  statusOf(accountId: string): string | undefined;
  /** Whether the descriptor has `loyaltyApi`. Undefined: the descriptor is unknown, so this check is skipped. */
  readonly declaresLoyalty?: boolean | undefined;
  /** Stores the sent loyalty settings. Other settings stay unchanged. */
  keepLoyalty(accountId: string, named: Partial<LoyaltySettings>): void;
  /** Returns the user of the window with this context key (platform-contracts 3.9). */
  byContextKey(key: string): Judged;
  /** Returns the user of the window with the one-time token in the body. */
  byUserToken(call: OtherCall): Judged;
}

/**
 * Returns the platform's addresses other than the status calls: loyalty settings, contexts and button results (platform-contracts 3.8,
 * 3.9). A wrong token gets 401 before any other check. Every button result gets 404, because the sandbox never waits for a button result.
 */
export function vendorAddresses(behind: BehindAddresses): OtherAddresses {
  return (call) => {
    const [, accountId] = LOYALTY.exec(call.path) ?? [];
    const [, context] = CONTEXT.exec(call.path) ?? [];
    if (accountId === undefined && context === undefined && !BUTTON.test(call.path)) return undefined;
    const problem = call.tokenProblem();
    if (problem !== undefined) return refuse(401, 1056, problem);
    if (context !== undefined) return context === "user" ? behind.byUserToken(call) : behind.byContextKey(context);
    if (accountId === undefined) return refuse(404, 1005, "no such process");
    const status = behind.statusOf(accountId);
    if (status === undefined) return refuse(404, 2004, "the solution is not installed");
    if (call.method !== "PUT" && call.method !== "PATCH") return refuse(405, 1005, "method not allowed");
    if (behind.declaresLoyalty === false) return refuse(400, 2006, "the descriptor has no loyaltyApi");
    if (!LOYALTY_STATUSES.includes(status))
      return refuse(400, 2007, `the installation is ${status}, neither SettingsRequired nor Activated`);
    const read = readLoyalty(call.body, call.method);
    if ("problem" in read) return refuse(400, 2001, read.problem);
    behind.keepLoyalty(accountId, read.named);
    return { status: 200, answer: {} };
  };
}
