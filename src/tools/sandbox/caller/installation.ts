import { type Chance, type Clock, pause } from "../../../kernel/clock.ts";
import { type Call, type Exchange, send } from "./call.ts";
import type { PlatformNames } from "./names.ts";
import type { SigningKey } from "./signing-key.ts";
import { signToken, TOKEN_LIFE_S } from "./vendor-token.ts";

/** A solution in the platform's catalogue (platform-contracts 3.1). */
export interface Solution {
  appId: string;
  appUid: string;
  secretKey: string;
  names: PlatformNames;
}

/** A solution's installation in one customer's account. */
export interface Installation {
  accountId: string;
  accountName: string;
  /** The registration id for the fiscal contract. */
  registrationId: string;
  key: SigningKey;
}

export type Cause = "Install" | "Resume" | "TariffChanged" | "Autoprolongation" | "Suspend" | "Uninstall";

/** Time and interval of repeats of Install, Resume, Suspend and Uninstall (platform-contracts 3.6). */
export const LIFECYCLE_RETRIES = { windowMs: 3 * 60_000, intervalMs: 10_000 };

/** Returns the PUT of the vendor contract, which activates the installation or changes its subscription. */
export function activation(
  solution: Solution,
  installation: Installation,
  cause: Cause,
  options: { clock: Clock; chance: Chance; resource: string; accessToken?: string },
): Call {
  const body = {
    appUid: solution.appUid,
    accountName: installation.accountName,
    cause,
    ...(cause === "Install" || cause === "Resume" ? { access: [access(options)] } : {}),
    subscription: { tariffId: options.chance.uuid(), trial: false, tariffName: "Розница", notForResale: false, partner: false },
    additional: { fiscalApi: { id: installation.registrationId, token: installation.key.publicKey } },
  };
  return vendorCall("PUT", solution, installation, body, options);
}

/** Returns the DELETE of the vendor contract, which has a body. */
export function deactivation(
  solution: Solution,
  installation: Installation,
  cause: Cause,
  options: { clock: Clock; chance: Chance },
): Call {
  return vendorCall("DELETE", solution, installation, { appUid: solution.appUid, accountName: installation.accountName, cause }, options);
}

/** Returns the GET of the vendor contract, which asks whether the solution has the installation. */
export function inquiry(solution: Solution, installation: Installation, options: { clock: Clock; chance: Chance }): Call {
  return vendorCall("GET", solution, installation, undefined, options);
}

/**
 * Sends a call and repeats it like the platform. Answers below 500 and a 551 are final. After another 5xx or no answer, the call is
 * repeated with the same request id and token, until the time ends or `signal` aborts. Returns the last exchange.
 */
export async function sendVendorCall(
  base: string,
  call: Call,
  clock: Clock,
  retries: { windowMs: number; intervalMs: number; signal?: AbortSignal } = LIFECYCLE_RETRIES,
): Promise<Exchange> {
  const endMs = clock.monotonicMs() + retries.windowMs;
  for (;;) {
    const exchange = await send(base, call, clock);
    const final = exchange.kind === "answer" && (exchange.status < 500 || exchange.status === 551);
    if (final || retries.signal?.aborted || clock.monotonicMs() + retries.intervalMs > endMs) return exchange;
    await pause(clock, retries.intervalMs, retries.signal);
  }
}

function vendorCall(
  method: Call["method"],
  solution: Solution,
  { accountId }: Installation,
  body: object | undefined,
  { clock, chance }: { clock: Clock; chance: Chance },
): Call {
  const iat = Math.floor(clock.nowMs() / 1000);
  const token = signToken({ iat, exp: iat + TOKEN_LIFE_S, jti: chance.uuid() }, solution.secretKey);
  return {
    method,
    path: `/vendor${solution.names.vendorSuffix}/apps/${solution.appId}/${accountId}`,
    headers: {
      authorization: `Bearer ${token}`,
      [solution.names.requestIdHeader]: chance.uuid(),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
  };
}

function access({ resource, chance, accessToken }: { resource: string; chance: Chance; accessToken?: string }): object {
  return {
    resource,
    scope: ["custom"],
    permissions: { retailStore: { view: "ALL" }, retailDemand: { view: "ALL" }, good: { view: "ALL" } },
    access_token: accessToken ?? chance.bytes(20).toString("hex"),
  };
}
