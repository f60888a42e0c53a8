import type { Chance, Clock } from "../../../kernel/clock.ts";
import type { Solution } from "../../sandbox/caller/installation.ts";
import type { LoyaltySettings } from "../../sandbox/caller/loyalty/settings.ts";
import { vendorAddresses } from "../../sandbox/caller/vendor-addresses.ts";
import { type Judged, type OtherCall, refuse } from "../../sandbox/caller/vendor-desk.ts";
import { type ReceivedCall, VendorSide } from "../../sandbox/caller/vendor-side.ts";

/**
 * The server may send a call before it learns that its token is revoked. The run allows such a call for this time after the server's answer
 * to Suspend or Uninstall.
 */
const UNDER_WAY_MS = 1_000;

const ENTITY = /^\/api\/remap\/1\.2\/entity\/([a-z]+)(?:\/([^/]+))?$/;

/**
 * Plays the platform for the examined server. Answers status calls, loyalty settings, contexts and button results (platform-contracts 3.8,
 * 3.9), and reads of JSON API entities. No user has a window open, so every context is unknown. Every entity exists and has a name. Every
 * list is empty.
 */
export class PlatformSide {
  readonly #vendorSide: VendorSide;
  readonly #tokens = new Set<string>();
  /** Revoked tokens, with the monotonic time of the last allowed use. Undefined: the server was not informed yet. */
  readonly #revoked = new Map<string, number | undefined>();
  readonly #loyalty = new Map<string, Partial<LoyaltySettings>>();
  readonly #chance: Chance;
  readonly #clock: Clock;

  /** `declaresLoyalty`: whether the descriptor has `loyaltyApi`. Undefined: no readable descriptor. */
  constructor(solution: Solution, clock: Clock, chance: Chance, declaresLoyalty?: boolean) {
    this.#chance = chance;
    this.#clock = clock;
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

  get received(): readonly ReceivedCall[] {
    return this.#vendorSide.received;
  }

  statusOf(accountId: string): string | undefined {
    return this.#vendorSide.statusOf(accountId);
  }

  /**
   * Returns the loyalty settings that the server sent for the account. Undefined: since the solution was last removed, the server has not
   * sent all of them.
   */
  loyaltyOf(accountId: string): LoyaltySettings | undefined {
    const { url, token, externalSearch } = this.#loyalty.get(accountId) ?? {};
    return url === undefined || token === undefined || externalSearch === undefined ? undefined : { url, token, externalSearch };
  }

  /** Sets the status. Undefined: removes the solution, which also deletes the loyalty settings (platform-contracts 3.8). */
  setStatus(accountId: string, status: string | undefined): void {
    if (status === undefined) this.#loyalty.delete(accountId);
    this.#vendorSide.setStatus(accountId, status);
  }

  grantToken(): string {
    const token = this.#chance.bytes(20).toString("hex");
    this.#tokens.add(token);
    return token;
  }

  /**
   * Revokes the token. The platform does this before it sends Suspend or Uninstall. Until `tellOfEnd`, and for UNDER_WAY_MS after it, calls
   * with this token are refused but do not count as the server's fault.
   */
  revokeToken(token: string): void {
    this.#tokens.delete(token);
    this.#revoked.set(token, undefined);
  }

  /** Call it after the server has answered Suspend or Uninstall. Calls that come UNDER_WAY_MS later or more are the server's fault. */
  tellOfEnd(token: string): void {
    this.#revoked.set(token, this.#clock.monotonicMs() + UNDER_WAY_MS);
  }

  #entity({ method, path, authorization }: OtherCall): Judged | undefined {
    const [, type, id] = ENTITY.exec(path) ?? [];
    if (type === undefined) return undefined;
    const token = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
    if (!this.#tokens.has(token)) {
      const refused = refuse(401, 1056, "the access token is not the one of an installation in force");
      return this.#isExcused(token) ? { ...refused, excused: true } : refused;
    }
    if (method !== "GET") return refuse(403, 1016, "the run's entities can only be read");
    const href = `${this.base}${path}`;
    if (id === undefined) return { status: 200, answer: { meta: { href, type, size: 0, limit: 1000, offset: 0 }, rows: [] } };
    return { status: 200, answer: { meta: { href, type, mediaType: "application/json" }, id, name: `${type} of the conformance run` } };
  }

  #isExcused(token: string): boolean {
    return this.#revoked.has(token) && this.#clock.monotonicMs() < (this.#revoked.get(token) ?? Infinity);
  }
}
