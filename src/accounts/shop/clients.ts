import type { Clock } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import type { Wire } from "../../platform/api/exchange.ts";
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

/** Clients of the platform's JSON API for installations that may call it: active ones with a token. */
export class Clients {
  readonly #services: ClientServices;
  readonly #open = new Map<string, { token: string; client: PlatformClient }>();

  constructor(services: ClientServices) {
    this.#services = services;
  }

  /**
   * Returns the client of an installation. All calls of an installation use one client, so that together they keep its
   * limits. A new token makes a new client. Undefined when the installation may not call the platform now. @throws Failure
   * `seal-key` or `seal-broken` when the token cannot be opened.
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
    const { profile, wire, clock, log } = this.#services;
    const url = `${profile.baseUrl}/api/remap/1.2`;
    const client = openClient({ url, authorization: bearer(token), headers: profile.headers, wire, clock, log });
    this.#open.set(name, { token: token.reveal(), client });
    return client;
  }

  /**
   * Returns the client of an installation, also while the installation waits for its settings. It serves people who set
   * the installation up; other work uses `of`. Returns undefined and throws as `of` does.
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
 * Whether the address has a name below `.example`, which belongs to nobody (RFC 2606). The canonical profile has such an
 * address until PLATFORM_BASE_URL names a platform.
 */
function isNobodys(baseUrl: string): boolean {
  return new URL(baseUrl).hostname.endsWith(".example");
}
