import type { Clock } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import type { Secret } from "../../kernel/secret.ts";
import type { Wire } from "../../platform/api/exchange.ts";
import { PlatformFailure } from "../../platform/api/failure.ts";
import { openClient, type PlatformClient } from "../../platform/client.ts";
import { bearer } from "../../platform/token.ts";
import type { InstallationKey } from "../installation.ts";
import type { Installations } from "../installations.ts";

interface ClientServices {
  installations: Installations;
  profile: PlatformProfile;
  wire: Wire;
  clock: Clock;
  log: Log;
}

/** Clients of the platform's JSON API. */
export class Clients {
  readonly #services: ClientServices;
  readonly #open = new Map<string, { token: string; client: PlatformClient }>();

  constructor(services: ClientServices) {
    this.#services = services;
  }

  /**
   * Returns the client of an installation. Callers share this client, so that all calls together keep the installation's limits. A new
   * token makes a new client. Undefined: the installation may not call the platform now, or PLATFORM_BASE_URL names no platform yet.
   * @throws Failure `seal-key` or `seal-broken` when the token cannot be opened.
   */
  async of(key: InstallationKey): Promise<PlatformClient | undefined> {
    if (isNobodys(this.#services.profile.baseUrl)) return undefined;
    const name = `${key.appId}/${key.accountId}`;
    const token = await this.#services.installations.activeToken(key);
    if (token === undefined) {
      this.#open.delete(name);
      return undefined;
    }
    const known = this.#open.get(name);
    if (known?.token === token.reveal()) return known.client;
    const { profile, clock, log } = this.#services;
    const url = `${profile.baseUrl}/api/remap/1.2`;
    const wire = this.#whileInForce(key, token);
    const client = openClient({ url, authorization: bearer(token), headers: profile.headers, wire, clock, log });
    this.#open.set(name, { token: token.reveal(), client });
    return client;
  }

  /**
   * A wire that sends nothing once the installation is suspended or removed, or has another token. Earlier work, such as a reading of the
   * shop, may hold the client for minutes. The database is asked each time, because another process may have received the change.
   */
  #whileInForce(key: InstallationKey, token: Secret): Wire {
    const { installations, wire } = this.#services;
    return {
      async exchange(exchange) {
        const present = await installations.activeToken(key);
        if (present?.reveal() !== token.reveal())
          throw new PlatformFailure("cancelled", "the installation was suspended or removed, or has another token");
        return wire.exchange(exchange);
      },
      close: () => wire.close(),
      abandon: () => wire.abandon(),
    };
  }

  /**
   * Like `of`, but also for an installation that waits for its settings. Such an installation gets a new client at each call. For people
   * who set the installation up; other work uses `of`.
   */
  async ofInstalled(key: InstallationKey): Promise<PlatformClient | undefined> {
    const { installations, profile, wire, clock, log } = this.#services;
    if ((await installations.get(key))?.state !== "settings_required") return this.of(key);
    const token = isNobodys(profile.baseUrl) ? undefined : await installations.accessToken(key);
    if (token === undefined) return undefined;
    return openClient({
      url: `${profile.baseUrl}/api/remap/1.2`,
      authorization: bearer(token),
      headers: profile.headers,
      wire,
      clock,
      log,
    });
  }
}

/**
 * True for a name below `.example`, which belongs to nobody (RFC 2606). The canonical profile has such an address until PLATFORM_BASE_URL
 * names a platform.
 */
function isNobodys(baseUrl: string): boolean {
  return new URL(baseUrl).hostname.endsWith(".example");
}
