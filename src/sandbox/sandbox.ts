import { HttpServer } from "../http/server.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { Account, FORGETFUL } from "./account/account.ts";
import { tokenId } from "./account/users.ts";
import { answerApi } from "./api/door.ts";
import { ROUTES } from "./api/routes.ts";
import type { SandboxSettings } from "./settings.ts";
import { furnish, type ShopOptions } from "./shop/shop.ts";
import { CATALOGUE } from "./types/catalogue.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

export interface SandboxOptions extends ShopOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly seed: number;
  readonly port: number;
  /** Bearer token of the administrator. */
  readonly token: string;
  readonly settings: SandboxSettings;
}

export interface OpenSandbox {
  readonly base: string;
  readonly account: Account;
  close(): Promise<void>;
}

/** Time for running requests at the end: the surface allows two seconds in all. */
const CLOSE_WITHIN_MS = 1_000;

/** The platform on one machine: an account, its shop, and the JSON API over it. */
export async function openSandbox(options: SandboxOptions): Promise<OpenSandbox> {
  const { clock, log, seed, settings } = options;
  const account = new Account({ clock, seed, log: FORGETFUL });
  await furnish(account, options);
  await account.commit(() => account.put({ type: "token", id: tokenId(options.token), values: { login: options.administrator.login } }));
  let base = "";
  const webhooks = new Webhooks({ account, catalogue: CATALOGUE, base: () => base, settings, clock, log, fetch });
  const parts = { account, catalogue: CATALOGUE, routes: ROUTES, settings, base: () => base, log };
  const server = new HttpServer({ application: (request, response) => void answerApi(parts, request, response), log, clock });
  const { host, port } = await server.listen("127.0.0.1", options.port);
  base = `http://${host}:${port}`;
  return {
    base,
    account,
    async close() {
      await server.close(CLOSE_WITHIN_MS);
      webhooks.close();
      await account.close();
    },
  };
}
