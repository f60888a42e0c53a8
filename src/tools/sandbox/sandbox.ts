import type { RequestListener } from "node:http";
import type { Chance, Clock } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import type { Account } from "./account/account.ts";
import { LateLists } from "./account/late-lists.ts";
import { openAccount } from "./account/open-account.ts";
import { admitLogins, startToken } from "./account/tokens.ts";
import type { Login } from "./account/users.ts";
import { FailedLogins } from "./api/admission/failed-logins.ts";
import { ParallelLimit } from "./api/admission/parallel-limit.ts";
import { RateLimit } from "./api/admission/rate-limit.ts";
import { answerApi } from "./api/answer-api.ts";
import { Counters } from "./api/counters/counters.ts";
import { FAULT_DELAY_MS, type Fault, Faults } from "./api/faults.ts";
import { type MadeCertificate, makeAuthority, makeCertificate } from "./api/listening/certificate.ts";
import { keptAuthority } from "./api/listening/kept-authority.ts";
import { Listener } from "./api/listening/listener.ts";
import { headerNames } from "./api/requests/header-names.ts";
import { KEY_SET_PATH } from "./api/requests/target.ts";
import { routes } from "./api/routes/routes.ts";
import { securityRoutes } from "./api/routes/security-routes.ts";
import { AsyncTasks } from "./async/tasks.ts";
import { PLATFORM_NAMES, type ProfileName } from "./caller/names.ts";
import { Downloads } from "./files/downloads.ts";
import type { SandboxSettings } from "./settings.ts";
import { generateProducts } from "./shop/generated.ts";
import { addShop } from "./shop/shop.ts";
import type { LifecycleResult } from "./solution/host.ts";
import { openSolution, type SolutionOptions } from "./solution/open-solution.ts";
import { QrKeys } from "./solution/qr-keys.ts";
import { CATALOGUE } from "./types/catalogue.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

export interface SandboxOptions {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly port: number;
  /**
   * The folder of the account. Undefined: the account lives in memory.
   * An undefined `seed`, `products` or `token` comes from the folder. If the folder has none, the account gets seed 1, no generated
   * products and a new token.
   */
  readonly data: string | undefined;
  readonly seed: number | undefined;
  readonly products: number | undefined;
  readonly administrator: Login | undefined;
  readonly employees: readonly Login[];
  /** The Bearer token of the administrator. */
  readonly token: string | undefined;
  readonly profile: ProfileName;
  /** Whether the rate limit and the parallel limit refuse requests. */
  readonly limited: boolean;
  readonly faults: readonly Fault[];
  /** The origin in hrefs, without a trailing slash. Undefined: the address of the listener. */
  readonly publicUrl: string | undefined;
  readonly tls: boolean;
  readonly settings: SandboxSettings;
  /** The solution to install and to call for retail documents. */
  readonly solution: SolutionOptions | undefined;
  /** Lifetime of QR tokens in seconds. */
  readonly tokenSeconds: number;
}

export interface OpenSandbox {
  /** Installs the solution if needed, and continues unfinished requests of its tills. Returns undefined without a solution. */
  readonly beginSolution: () => Promise<LifecycleResult> | undefined;
  readonly base: string;
  readonly token: string;
  /** URL of the public keys that verify QR tokens. `issuer` is the claim `iss` of the tokens. */
  readonly jwks: string;
  readonly issuer: string;
  /** The certificate authority that clients must trust, in PEM. Undefined without TLS. */
  readonly ca: string | undefined;
  readonly account: Account;
  close(): Promise<void>;
}

const DEFAULT_ADMINISTRATOR: Login = { login: "admin@shop", password: "secret", administrator: true };

/** Time for running requests to finish in `close`. The sandbox must end within two seconds. */
const CLOSE_WITHIN_MS = 1_000;

/** Opens the platform on one machine: an account with its shop, and the JSON API. */
export async function openSandbox(options: SandboxOptions): Promise<OpenSandbox> {
  const { clock, chance, log, settings } = options;
  const { account, token } = await openShop(options);
  const faults = new Faults(options.faults, account.seed);
  account.delayLists(new LateLists({ clock, delayMs: FAULT_DELAY_MS, strikes: () => faults.strikes("late-lists") }));
  const counters = new Counters({ clock, log, faults });
  const certificate = options.tls ? await certificateOf(options, account) : undefined;

  let localBase = "";
  const base = () => options.publicUrl ?? localBase;
  const webhooks = new Webhooks({ account, catalogue: CATALOGUE, base, settings, clock, log, fetch });
  const downloads = new Downloads(clock);
  const tasks = new AsyncTasks(account, log, (task, action) => webhooks.toldOfTask(task, action));
  const issuer = PLATFORM_NAMES[options.profile].qrIssuer;
  const keys = new QrKeys(account, { issuer, lifeS: options.tokenSeconds, clock, chance });
  const solution = options.solution === undefined ? undefined : openSolution(options, options.solution, account, base, keys);
  const parts = {
    account,
    solution,
    qr: { account, keys, tills: solution?.qrTills },
    loyalty: { account, till: solution?.loyaltyTill },
    catalogue: CATALOGUE,
    downloads,
    routes: [...securityRoutes(chance), ...routes({ tasks, downloads })],
    settings,
    base,
    localBase: () => localBase,
    log,
    names: headerNames(options.profile),
    failedLogins: new FailedLogins(clock),
    rates: new RateLimit(clock),
    parallel: new ParallelLimit(),
    limited: options.limited,
    faults,
    counters,
  };
  const answer: RequestListener = (request, response) => void answerApi(parts, request, response);
  const listener = new Listener({ answer, clock, connections: counters.connections, tls: certificate });
  const close = async () => {
    webhooks.close();
    tasks.close();
    solution?.tills.close();
    solution?.qrTills.close();
    await account.close();
  };
  try {
    localBase = await listener.listen(options.port);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    base: localBase,
    token,
    jwks: `${localBase}${KEY_SET_PATH}`,
    issuer,
    ca: certificate?.ca,
    account,
    beginSolution: () => solution?.begin(),
    async close() {
      await listener.close(CLOSE_WITHIN_MS);
      await close();
    },
  };
}

/** Opens the account of the folder, or makes a new account with its shop. */
async function openShop(options: SandboxOptions): Promise<{ account: Account; token: string }> {
  const { administrator = DEFAULT_ADMINISTRATOR, employees } = options;
  const account = await openAccount({
    ...options,
    addShop(fresh) {
      // This runs for a new account only. `admitLogins` checks the logins of an existing account.
      if (employees.some(({ login }) => login === administrator.login)) {
        throw new Failure("login-taken", "caller", `--employee: ${administrator.login} is the administrator's login (--admin)`);
      }
      return addShop(fresh, { administrator, employees });
    },
    generate: generateProducts,
  });
  try {
    const stated = options.administrator === undefined ? employees : [options.administrator, ...employees];
    await admitLogins(account, stated);
    return { account, token: await startToken(account, options.token, options.chance) };
  } catch (error) {
    await account.close();
    throw error;
  }
}

async function certificateOf({ clock, data, publicUrl }: SandboxOptions, account: Account): Promise<MadeCertificate> {
  try {
    const authority = await (data === undefined ? makeAuthority(clock) : keptAuthority(data, clock));
    return await makeCertificate(clock, authority, hostsOf(publicUrl));
  } catch (error) {
    await account.close();
    throw error;
  }
}

function hostsOf(publicUrl: string | undefined): readonly string[] {
  return publicUrl === undefined ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, "")];
}
