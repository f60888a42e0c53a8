import type { Chance, Clock } from "../../../kernel/clock.ts";
import type { Log } from "../../../kernel/log.ts";
import type { Account } from "../account/account.ts";
import { PLATFORM_NAMES, type ProfileName } from "../caller/names.ts";
import type { SandboxSettings } from "../settings.ts";
import { type LifecycleResult, SolutionHost } from "./host.ts";
import { LoyaltyTill } from "./loyalty-till.ts";
import type { QrKeys } from "./qr-keys.ts";
import { QrTills } from "./qr-tills.ts";
import { Tills } from "./tills.ts";
import { UserContexts } from "./user-contexts.ts";

export interface SolutionOptions {
  /** The base URL of the solution's server, without a trailing slash. */
  readonly target: string;
  readonly appId: string;
  readonly appUid: string;
  readonly secretKey: string;
}

interface OpenSolution {
  readonly account: Account;
  readonly host: SolutionHost;
  readonly contexts: UserContexts;
  readonly tills: Tills;
  readonly qrTills: QrTills;
  readonly loyaltyTill: LoyaltyTill;
  /** Installs the solution if needed, with tries for a minute, then sends an earlier process's unfinished requests. */
  begin(): Promise<LifecycleResult>;
}

export function openSolution(
  options: { clock: Clock; chance: Chance; log: Log; profile: ProfileName; settings: SandboxSettings },
  { target, ...credentials }: SolutionOptions,
  account: Account,
  base: () => string,
  keys: QrKeys,
): OpenSolution {
  const { clock, chance, log, profile, settings } = options;
  const solution = { ...credentials, names: PLATFORM_NAMES[profile] };
  const api = () => `${base()}/api/remap/1.2`;
  const contexts = new UserContexts(account, clock, chance);
  const host = new SolutionHost({ account, solution, target, api, contexts, clock, chance });
  const moneyScale = settings.fiscalMoneyScale === "100" ? 100 : 1;
  const begun = Promise.withResolvers<void>();
  const tills = new Tills({ account, solution, target, installation: () => host.inForce(), api, moneyScale, clock, log }, begun.promise);
  const qr = { account, target, keys, mayCall: () => host.isInstalled, base, settings, clock, chance, log };
  const qrTills = new QrTills(qr, begun.promise);
  const header = solution.names.loyaltyHeader;
  const documents = { account, base, settings };
  const loyaltyTill = new LoyaltyTill({ ...documents, connection: () => host.loyalty, header, tills, qrTills, clock, chance });
  return {
    account,
    host,
    contexts,
    tills,
    qrTills,
    loyaltyTill,
    async begin() {
      try {
        const result = await host.begin();
        tills.resume(host.sinceMs);
        qrTills.resume();
        return result;
      } finally {
        begun.resolve();
      }
    },
  };
}
