import type { Chance, Clock } from "../../../kernel/clock.ts";
import type { Solution } from "../../sandbox/caller/installation.ts";
import type { LoyaltySettings } from "../../sandbox/caller/loyalty/settings.ts";
import { vendorAddresses } from "../../sandbox/caller/vendor-addresses.ts";
import { type Judged, type OtherCall, refuse } from "../../sandbox/caller/vendor-desk.ts";
import { type ReceivedCall, VendorSide } from "../../sandbox/caller/vendor-side.ts";

const ENTITY = /^\/api\/remap\/1\.2\/entity\/([a-z]+)(?:\/([^/]+))?$/;

/**
 * Plays the platform for the examined server. It answers status calls, loyalty settings, contexts and button results
 * (platform-contracts 3.8, 3.9), and readings of entities of the JSON API. No user has a window open, so every context is unknown.
 * Every entity exists and has a name. Every list is empty.
 */
export class PlatformSide {
  readonly #vendorSide: VendorSide;
  readonly #tokens = new Set<string>();
  readonly #loyalty = new Map<string, Partial<LoyaltySettings>>();
  readonly #chance: Chance;

  /** `declaresLoyalty`: whether the descriptor has `loyaltyApi`. Undefined: there is no descriptor that can be read. */
  constructor(solution: Solution, clock: Clock, chance: Chance, declaresLoyalty?: boolean) {
    this.#chance = chance;
    const others = vendorAddresses({
      statusOf: (accountId) => this.statusOf(accountId),
      declaresLoyalty,
      keepLoyalty: (accountId, named) => void this.#loyalty.set(accountId, { ...this.#loyalty.get(accountId), ...named }),
      byContextKey: () => refuse(404, 1005, "no such context"),
      byUserToken: () => refuse(404, 3007, "the token is unknown"),
    });
    this.#vendorSide = new VendorSide(solution, clock, (call) => this.#entity(call) ?? others(call));
  }

  open(port = 0): Promise<void> {
    return this.#vendorSide.open(port);
  }

  close(): Promise<void> {
    return this.#vendorSide.close();
  }

  get base(): string {
    return this.#vendorSide.base;
  }

  /** All calls that the server has made. */
  get received(): readonly ReceivedCall[] {
    return this.#vendorSide.received;
  }

  statusOf(accountId: string): string | undefined {
    return this.#vendorSide.statusOf(accountId);
  }

  /**
   * The loyalty settings that the server has sent for the account. Undefined: it has not sent all of them since the solution was last
   * removed.
   */
  loyaltyOf(accountId: string): LoyaltySettings | undefined {
    const { url, token, externalSearch } = this.#loyalty.get(accountId) ?? {};
    return url === undefined || token === undefined || externalSearch === undefined ? undefined : { url, token, externalSearch };
  }

  /** Sets the status. Undefined: the solution is removed, which also deletes the loyalty settings (platform-contracts 3.8). */
  setStatus(accountId: string, status: string | undefined): void {
    if (status === undefined) this.#loyalty.delete(accountId);
    this.#vendorSide.setStatus(accountId, status);
  }

  /** Makes a token of the JSON API, as an installation gets it. */
  grantToken(): string {
    const token = this.#chance.bytes(20).toString("hex");
    this.#tokens.add(token);
    return token;
  }

  /** Revokes the token. The platform does this before it calls the server with Suspend or Uninstall. */
  revokeToken(token: string): void {
    this.#tokens.delete(token);
  }

  #entity({ method, path, authorization }: OtherCall): Judged | undefined {
    const [, type, id] = ENTITY.exec(path) ?? [];
    if (type === undefined) return undefined;
    const token = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
    if (!this.#tokens.has(token)) return refuse(401, 1056, "the access token is not the one of an installation in force");
    if (method !== "GET") return refuse(403, 1016, "the run's entities can only be read");
    const href = `${this.base}${path}`;
    if (id === undefined) return { status: 200, answer: { meta: { href, type, size: 0, limit: 1000, offset: 0 }, rows: [] } };
    return { status: 200, answer: { meta: { href, type, mediaType: "application/json" }, id, name: `${type} of the conformance run` } };
  }
}
