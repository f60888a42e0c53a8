import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { Installations } from "../../src/accounts/installations.ts";
import { BUILT_IN_SETTINGS } from "../../src/accounts/settings-schema.ts";
import { consoleServices } from "../../src/app/pages/console-services.ts";
import { application } from "../../src/http/application.ts";
import { DeviceExchanges } from "../../src/journal/exchanges.ts";
import { Journal } from "../../src/journal/journal.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { Lanes } from "../../src/operations/lanes.ts";
import { createReceiptPrinter } from "../../src/receipts/draw.ts";
import { hashPassword } from "../../src/security/password.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import { consoleRoutes } from "../../src/web/console/routes.ts";
import { LoyaltyBench } from "../support/loyalty-bench.ts";
import { PaymentBench } from "../support/payment-bench.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { FILLED_UNTIL_MS } from "./page-fill.ts";

const PASSWORD = "a password of the bench";

/** The console with a store, at a port, with a logged-in user. */
export class PageServer {
  readonly #server: Server;
  readonly #base: string;
  readonly #cookie: string;

  private constructor(server: Server, base: string, cookie: string) {
    this.#server = server;
    this.#base = base;
    this.#cookie = cookie;
  }

  static async open(store: Store): Promise<PageServer> {
    const clock = new VirtualClock(FILLED_UNTIL_MS + 1);
    const seal = createSeal(new Secret("a key of the bench"));
    const [payments, loyalty] = [await PaymentBench.open({ store, clock }), await LoyaltyBench.open({ store, clock })];
    const services = consoleServices({
      config: {
        consoleUsers: [{ login: "anna", passwordHash: new Secret(await hashPassword(new Secret(PASSWORD), systemChance)) }],
        timeZone: "Europe/Moscow",
        trustedProxies: [],
      },
      store,
      shop: { storeNameOf: async () => "Лавка" },
      accounts: { seal, installations: new Installations({ store, seal, clock }), settings: { of: async () => BUILT_IN_SETTINGS } },
      journal: new Journal({ store, clock }),
      exchanges: new DeviceExchanges({ store, clock, log: silentLog }),
      questions: { checkClaim: () => Promise.reject(new Error("the bench settles nothing")) },
      qr: payments,
      loyalty,
      printer: createReceiptPrinter(),
      lanes: new Lanes(),
      rack: { seen: () => [] },
      clock,
      chance: systemChance,
    });
    const app = application({
      requestIdHeader: "X-Request-Id",
      mounts: [{ base: "/console", router: consoleRoutes(services) }],
      log: silentLog,
      clock,
      chance: systemChance,
      observe: () => {},
    });
    const server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const base = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    const entered = await fetch(`${base}/console/login`, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: base },
      body: new URLSearchParams({ login: "anna", password: PASSWORD }),
    });
    const cookie = entered.headers.get("set-cookie")?.split(";")[0];
    if (cookie === undefined) throw new Error(`the login was answered ${entered.status}`);
    return new PageServer(server, base, cookie);
  }

  async get(path: string): Promise<string> {
    const answer = await this.#ask(path);
    return answer.text();
  }

  async *stream(path: string): AsyncIterable<Uint8Array> {
    const { body } = await this.#ask(path);
    if (body === null) throw new Error(`${path} was answered without a body`);
    yield* body;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #ask(path: string): Promise<Response> {
    const answer = await fetch(`${this.#base}/console${path}`, { redirect: "manual", headers: { Cookie: this.#cookie } });
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
    return answer;
  }
}
