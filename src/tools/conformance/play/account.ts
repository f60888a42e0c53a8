import { gzipSync } from "node:zlib";
import type { Chance, Clock } from "../../../kernel/clock.ts";
import type { Call } from "../../sandbox/caller/call.ts";
import type { Installation } from "../../sandbox/caller/installation.ts";
import type { SigningKey } from "../../sandbox/caller/signing-key.ts";
import { signToken, TOKEN_LIFE_S } from "../../sandbox/caller/vendor-token.ts";
import { wordsOfChanges } from "../exchanges/changes.ts";
import { CannotRun } from "../exchanges/check-result.ts";
import type { Exchanges } from "../exchanges/exchanges.ts";
import { wordsOfAnswer } from "../exchanges/report-text.ts";
import { objectOf, type Sent, statusOf } from "../exchanges/sent.ts";
import type { AccountIds } from "./account-ids.ts";
import type { PlatformSide } from "./platform-side.ts";
import type { QrSide } from "./qr-side.ts";
import type { LoyaltyGiven, Target } from "./target.ts";

/** `accountIds` repeats the same ids in every run. Registration ids and keys differ between runs. */
export interface AccountServices {
  target: Target;
  exchanges: Exchanges;
  platform: PlatformSide;
  /** Undefined: the run skips the rules of QR payment. */
  qr: QrSide | undefined;
  /** Undefined: the loyalty rules install a separate account. */
  loyalty: LoyaltyGiven | undefined;
  clock: Clock;
  chance: Chance;
  accountIds: AccountIds;
  makeKey(): SigningKey;
}

/** Differences from the platform's call. Null omits a header or the body. */
interface VendorChange {
  /** An object is sent as JSON. Bytes are sent unchanged. */
  body?: object | Buffer | null;
  authorization?: string | null;
  requestId?: string | null;
  gzip?: boolean;
  contentType?: string;
  appId?: string;
  /** A path below the account's path: `/event`. */
  under?: string;
  /** Replaces the path that the platform appends to the vendor base. */
  suffix?: string;
}

/**
 * The result of the install calls. `unanswered`: no call succeeded, but an unanswered call may have arrived. `refused`: the server refused
 * every call. The run then removes the account too, because a broken server may have stored something.
 */
type InstallState = "absent" | "refused" | "unanswered" | "installed";

/** A platform customer who may install the solution. */
export class Account {
  readonly installation: Installation;
  readonly #services: AccountServices;
  #accessToken: string;
  #state: InstallState = "absent";

  constructor(services: AccountServices, accountId: string = services.accountIds.next(services.exchanges.rule)) {
    const { chance } = services;
    this.#services = services;
    this.#accessToken = services.platform.grantToken();
    this.installation = {
      accountId,
      accountName: "conformance-run",
      registrationId: chance.uuid(),
      key: services.makeKey(),
    };
  }

  get services(): AccountServices {
    return this.#services;
  }

  /** Sends PUT with the ordinary body for the cause. Members of `body` replace members of the ordinary body. */
  async activate(cause: string, body: Record<string, unknown> = {}, change: VendorChange = {}): Promise<Sent> {
    const { platform } = this.#services;
    const { accountId } = this.installation;
    if (platform.statusOf(accountId) === undefined || cause === "Install" || cause === "Resume")
      platform.setStatus(accountId, "Activating");
    const sent = await this.call("PUT", { body: { ...this.activationBody(cause), ...body }, ...change });
    this.#state = stateAfter(this.#state, statusOf(sent));
    const status = objectOf(sent)?.status;
    // If the server reported a status during the call, the status in the answer does not replace it.
    const reported = platform.statusOf(accountId) !== "Activating";
    if (statusOf(sent) === 200 && typeof status === "string" && !reported) platform.setStatus(accountId, status);
    return sent;
  }

  /** Revokes the account's access token, as the platform does, then sends DELETE. */
  async deactivate(cause: string, change: VendorChange = {}): Promise<Sent> {
    const { platform, target } = this.#services;
    const { accountId, accountName } = this.installation;
    platform.revokeToken(this.#accessToken);
    const sent = await this.call("DELETE", { body: { appUid: target.solution.appUid, accountName, cause }, ...change });
    platform.tellOfEnd(this.#accessToken);
    platform.setStatus(accountId, cause === "Suspend" ? "Suspended" : undefined);
    if (cause === "Uninstall" && [200, 204].includes(statusOf(sent))) this.#state = "absent";
    return sent;
  }

  /** Removes what the run may have installed. Returns words about leftovers, if any. */
  async remove(): Promise<string | undefined> {
    if (this.#state === "absent") return undefined;
    const state = this.#state;
    const sent = await this.deactivate("Uninstall");
    const gone = state === "installed" ? [200, 204] : [200, 204, 404];
    if (state === "refused" || gone.includes(statusOf(sent))) return undefined;
    return `account ${this.installation.accountId} may still be installed: DELETE with cause Uninstall was answered ${wordsOfAnswer(sent)}`;
  }

  call(method: Call["method"], change: VendorChange = {}): Promise<Sent> {
    const { target, exchanges } = this.#services;
    const { vendor } = target;
    if (vendor === undefined)
      throw new CannotRun("the address of the vendor contract is not known: give --base, or a descriptor with vendorApi");
    return exchanges.send("vendor", vendor.origin, this.#callOf(method, vendor.path, change), this.#labelOf(method, change));
  }

  claims(): { iat: number; exp: number; jti: string } {
    const { clock, chance } = this.#services;
    const iat = Math.floor(clock.nowMs() / 1000);
    return { iat, exp: iat + TOKEN_LIFE_S, jti: chance.uuid() };
  }

  bearer(claims: object = this.claims()): string {
    return `Bearer ${signToken(claims, this.#services.target.solution.secretKey)}`;
  }

  activationBody(cause: string): Record<string, unknown> {
    const { target, chance, platform } = this.#services;
    const { accountName, registrationId, key } = this.installation;
    const access = {
      resource: `${platform.base}/api/remap/1.2`,
      scope: ["custom"],
      permissions: { retailStore: { view: "ALL" }, retailDemand: { view: "ALL" }, good: { view: "ALL" } },
      access_token: this.#accessToken,
    };
    return {
      appUid: target.solution.appUid,
      accountName,
      cause,
      ...(cause === "Install" || cause === "Resume" ? { access: [access] } : {}),
      subscription: { tariffId: chance.uuid(), trial: false, tariffName: "Розница", notForResale: false, partner: false },
      additional: { fiscalApi: { id: registrationId, token: key.publicKey } },
    };
  }

  /** Prepares a Resume: a new access token, a new key pair and, with `registration`, a new registration id. */
  renew({ registration = false }: { registration?: boolean } = {}): void {
    const { platform, makeKey, chance } = this.#services;
    this.#accessToken = platform.grantToken();
    this.installation.key = makeKey();
    if (registration) this.installation.registrationId = chance.uuid();
  }

  #labelOf(method: Call["method"], { body, authorization, requestId, gzip, contentType, appId }: VendorChange): string {
    const { requestIdHeader } = this.#services.target.solution.names;
    const cause = body !== undefined && body !== null && "cause" in body ? body.cause : undefined;
    const isActivation = method === "PUT" && body !== undefined && body !== null && !Buffer.isBuffer(body) && "appUid" in body;
    const words = [
      ...(cause === undefined ? [] : [`cause ${String(cause)}`]),
      ...(isActivation ? [wordsOfChanges(this.activationBody(String(cause ?? "Install")), body)] : []),
      ...(Buffer.isBuffer(body) ? [`a body of ${body.length} bytes`] : []),
      ...(authorization === undefined ? [] : [authorization === null ? "no Authorization" : "another token"]),
      ...(requestId === null ? [`no ${requestIdHeader}`] : []),
      ...(appId === undefined ? [] : ["another appId"]),
      ...(gzip === true ? ["gzip"] : []),
      ...(contentType === undefined ? [] : [`Content-Type ${contentType}`]),
    ];
    return words.filter((word) => word !== "").join(", ");
  }

  #callOf(method: Call["method"], base: string, change: VendorChange): Call {
    const { solution } = this.#services.target;
    const { names } = solution;
    const { authorization = this.bearer(), requestId = this.#services.chance.uuid(), gzip = false } = change;
    const { suffix = names.vendorSuffix, appId = solution.appId, under = "" } = change;
    const bytes = change.body === undefined || change.body === null ? undefined : bytesOf(change.body);
    return {
      method,
      path: `${base}${suffix}/apps/${appId}/${this.installation.accountId}${under}`,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(requestId === null ? {} : { [names.requestIdHeader]: requestId }),
        ...(bytes === undefined ? {} : { "content-type": change.contentType ?? "application/json" }),
        ...(gzip ? { "content-encoding": "gzip" } : {}),
      },
      ...(bytes === undefined ? {} : { body: gzip ? gzipSync(bytes) : bytes }),
    };
  }
}

/** Once a call has succeeded, the state stays `installed`. Before any success it stays `unanswered` after a call without an answer. */
function stateAfter(before: InstallState, status: number): InstallState {
  if (status >= 200 && status < 300) return "installed";
  if (before === "installed" || before === "unanswered") return before;
  return status === 0 ? "unanswered" : "refused";
}

function bytesOf(body: object | Buffer): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}
