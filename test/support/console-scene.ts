import type { RequestListener } from "node:http";
import supertest from "supertest";
import { onTestFinished } from "vitest";
import { Installations } from "../../src/accounts/installations.ts";
import { AgentDesk } from "../../src/agents/desk.ts";
import { consoleServices } from "../../src/app/pages/console-services.ts";
import { application } from "../../src/http/application.ts";
import { DeviceExchanges } from "../../src/journal/exchanges.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createReceiptPrinter } from "../../src/receipts/draw.ts";
import type { Seen } from "../../src/registers/watched-register.ts";
import { hashPassword } from "../../src/security/password.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";
import { consoleRoutes } from "../../src/web/console/routes.ts";
import type { AgentBench } from "./agents-bench.ts";
import { keptLog, type LogLine } from "./http-server.ts";
import { LoyaltyBench } from "./loyalty-bench.ts";
import { PaymentBench } from "./payment-bench.ts";
import { ZONE } from "./registers.ts";
import { Till } from "./till.ts";

export const PASSWORD = "a password of twelve";
const HASH = await hashPassword(new Secret(PASSWORD), systemChance);
const SEAL = createSeal(new Secret("a key of the console's tests"));

/** The console with the journal and the register of a till. */
export interface ConsoleScene {
  till: Till;
  payments: PaymentBench;
  loyalty: LoyaltyBench;
  installations: Installations;
  /** The names of points of sale at the platform, by `ACCOUNT/STORE`. */
  shopNames: Map<string, string>;
  lines: LogLine[];
  app: RequestListener;
  /** A browser with its cookies. */
  browser(): Browser;
}

/** The host that every request states. Its port would differ for each request of a test. */
const HOST = "console.example";

type Agent = ReturnType<typeof supertest.agent>;

export class Browser {
  readonly #agent: Agent;
  readonly #till: Till;

  constructor(agent: Agent, till: Till) {
    this.#agent = agent;
    this.#till = till;
  }

  get(path: string): supertest.Test {
    return this.#agent.get(`/console${path}`);
  }

  /** Sends a form. Its origin is this server's own page unless `origin` says otherwise. */
  async post(path: string, fields: Record<string, string>, origin = `http://${HOST}`): Promise<supertest.Response> {
    return this.#agent.post(`/console${path}`).type("form").set("Host", HOST).set("Origin", origin).send(fields);
  }

  /** Sends a form while the clock goes on, so that a register may be asked. */
  asking(path: string, fields: Record<string, string>): Promise<supertest.Response> {
    return this.#till.trial.settled(this.post(path, fields));
  }

  logIn(login = "anna", password = PASSWORD): Promise<supertest.Response> {
    return this.post("/login", { login, password });
  }

  /** Makes every request come from this address, as a proxy on this machine states it. */
  from(address: string): Browser {
    this.#agent.set("X-Forwarded-For", address);
    return this;
  }

  /** The token with which a form of the page proves its origin. */
  async csrf(path = "/"): Promise<string> {
    return hiddenIn((await this.get(path)).text, "csrf");
  }
}

/** The value of a hidden field in a page's form. */
export function hiddenIn(text: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
}

interface SceneOptions {
  /** The last known states of registers. */
  seen?: () => Seen[];
  alerts?: Parameters<typeof consoleServices>[0]["alerts"];
  /** Makes the agents of the scene, with its database. */
  agents?: (store: Store) => Promise<AgentBench>;
}

export async function consoleScene(till?: Till, { seen = () => [], alerts, agents }: SceneOptions = {}): Promise<ConsoleScene> {
  const shop = till ?? (await Till.open());
  const { clock } = shop.trial;
  const { log, lines } = keptLog();
  const { store, journal, questions, lanes } = shop;
  const [payments, loyalty] = [await PaymentBench.open({ store, clock }), await LoyaltyBench.open({ store, clock })];
  onTestFinished(() => payments.clients.close());
  const installations = new Installations({ store, seal: SEAL, clock });
  const bench = await agents?.(store);
  const shopNames = new Map<string, string>();
  const services = consoleServices({
    config: { consoleUsers: [{ login: "anna", passwordHash: new Secret(HASH) }], timeZone: ZONE, trustedProxies: ["127.0.0.0/8"] },
    store,
    shop: { storeNameOf: async ({ accountId }, storeId) => shopNames.get(`${accountId}/${storeId}`) },
    accounts: { seal: SEAL, installations, settings: { of: async () => payments.settings } },
    journal,
    exchanges: new DeviceExchanges({ store, clock, log }),
    questions,
    qr: payments,
    loyalty,
    printer: createReceiptPrinter(),
    lanes,
    rack: { seen },
    clock,
    chance: systemChance,
    ...(bench === undefined
      ? {}
      : { agents: { enrolment: bench.enrolment, desk: new AgentDesk({ store, clock: bench.clock, live: bench.hub }) } }),
    ...(alerts === undefined ? {} : { alerts }),
  });
  const app = application({
    requestIdHeader: "X_Platform_RequestId",
    mounts: [{ base: "/console", router: consoleRoutes(services) }],
    log,
    clock,
    chance: systemChance,
    observe: () => {},
  });
  return { till: shop, payments, loyalty, installations, shopNames, lines, app, browser: () => new Browser(supertest.agent(app), shop) };
}
