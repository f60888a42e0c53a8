import type { RequestListener } from "node:http";
import { actNoter, type NoteAct } from "../accounts/audit.ts";
import type { InstallationKey } from "../accounts/installation.ts";
import { SeenTokens } from "../accounts/seen-tokens.ts";
import { eventsRoutes, eventsSpec } from "../contracts/events/routes.ts";
import { fiscalRoutes, fiscalSpec } from "../contracts/fiscal/routes.ts";
import { HOOKS_SPEC, hooksRoutes } from "../contracts/hooks/routes.ts";
import { loyaltyRoutes, loyaltySpec } from "../contracts/loyalty/routes.ts";
import { QR_SPEC, qrRoutes } from "../contracts/qrpay/routes.ts";
import { vendorRoutes, vendorSpec } from "../contracts/vendor/routes.ts";
import { application } from "../http/application.ts";
import { LongBodies } from "../http/bodies/long-bodies.ts";
import { openApiDocument } from "../http/docs/openapi.ts";
import { docsRouter } from "../http/docs/routes.ts";
import { probeRouter } from "../http/probes.ts";
import { HttpServer } from "../http/server.ts";
import type { Entry } from "../journal/entry.ts";
import { DeviceExchanges } from "../journal/exchanges.ts";
import { Journal } from "../journal/journal.ts";
import { type Chance, type Clock, clockAhead, systemChance } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { present } from "../kernel/present.ts";
import type { Rounds } from "../kernel/rounds.ts";
import { isLoopback } from "../kernel/web-address.ts";
import type { ExchangeStep } from "../model/device/exchange.ts";
import { Lanes } from "../operations/lanes.ts";
import type { RegisterChoice } from "../operations/plan.ts";
import { Recovery } from "../operations/recover.ts";
import { RefusalBound } from "../operations/refusal-bound.ts";
import type { OperationServices } from "../operations/services.ts";
import type { Submission } from "../operations/submission.ts";
import { Operations } from "../operations/submit.ts";
import { RegisterQuestions } from "../operator/register-questions.ts";
import { createReceiptPrinter, type ReceiptPrinter } from "../receipts/draw.ts";
import { REGISTER_PROTOCOLS } from "../registers/catalogue.ts";
import { Rack } from "../registers/rack.ts";
import type { Store } from "../store/database.ts";
import { DayParts } from "../store/day-parts.ts";
import { consoleRoutes } from "../web/console/routes.ts";
import { settingsRoutes } from "../web/settings/routes.ts";
import { type Accounts, composeAccounts } from "./accounts.ts";
import { AGENTS_SPEC, type AgentParts, agentMounts, agentUpgrades, composeAgents } from "./agents/agents.ts";
import { type AlertParts, composeAlerts } from "./alerts/alerts.ts";
import { type ClusterParts, composeCluster } from "./cluster/compose-cluster.ts";
import { HeldResources, type Loss, type Taken, takeResources } from "./cluster/resources.ts";
import { SHARED_PROTOCOLS } from "./cluster/shared-protocols.ts";
import { ConcernLog } from "./concern-log.ts";
import type { Config } from "./config.ts";
import { sourcesOf } from "./gauge-sources.ts";
import { Housekeeping } from "./housekeeping.ts";
import { journalTold } from "./journal-told.ts";
import { composeLoyalty, type LoyaltyComposition } from "./loyalty.ts";
import { saveMemory } from "./memory.ts";
import { Metrics, type SeenRegister } from "./metrics.ts";
import { consoleServices } from "./pages/console-services.ts";
import { settingsPageServices } from "./pages/settings-services.ts";
import { composePayments, type PaymentParts } from "./payments.ts";
import { readyChecks, watchPlace } from "./readiness.ts";
import { composeShop, type Shop } from "./shop.ts";
import { tellUnreadMarks } from "./unread-marks.ts";
import { VERSION } from "./version.ts";
import { tellPlatform } from "./waiting-installations.ts";

/**
 * How long a stopping server waits for requests. A request that waits for a register is answered within nine seconds, with 50003 if its
 * operation is unfinished.
 */
const HTTP_STOP_LIMIT_MS = 12_000;

export interface Application {
  /** Starts to serve and returns the address. */
  listen(): Promise<string>;
  /** Ends in order: accepts no new requests, lets running work at devices finish, releases all resources. */
  close(): Promise<void>;
}

/** Builds the server. Takes the locks and migrates the database. Calls `lost` when the database's lock or files are lost. */
export async function compose(config: Config, log: Log, lost: (loss: Loss) => void): Promise<Application> {
  const resources = new HeldResources();
  try {
    const taken = await takeResources(resources, { config, log }, lost);
    const parts = buildParts(config, log, taken);
    const application = buildSite(config, log, taken.store, parts);
    const upgrades = agentUpgrades(config, parts.agents);
    const server = new HttpServer({ application, log, clock: parts.clock, onCrowd: saveMemory, ...upgrades });
    return {
      listen: () => listen(config, log, server, parts),
      close: async () => {
        await stop(server, parts);
        await resources.release();
      },
    };
  } catch (error) {
    await resources.release();
    throw error;
  }
}

/** The parts that a person's command needs to register a document. */
interface OperatorParts {
  journal: Journal;
  operations: Operations;
  noteAct: NoteAct;
  questions: RegisterQuestions;
  choice: RegisterChoice;
  /** Waits for the work at registers, then releases all resources. */
  close(): Promise<void>;
}

/**
 * Builds the parts for one command. Nothing listens. An unfinished operation is continued only if the command's own operation needs it.
 * Throws like `compose`, for example `store-locked` when a server runs.
 */
export async function composeOperator(config: Config, log: Log, lost: (loss: Loss) => void): Promise<OperatorParts> {
  const resources = new HeldResources();
  try {
    const taken = await takeResources(resources, { config, log, alone: true }, lost);
    const parts = buildParts(config, log, taken);
    const { clock, journal, operations, questions, services: choice } = parts;
    await journal.rememberNewest();
    return {
      journal,
      operations,
      noteAct: actNoter({ store: taken.store, clock }),
      questions,
      choice,
      close: async () => {
        await parts.lanes.idle();
        await parts.exchanges.close();
        await parts.qr.close();
        await parts.rack.close();
        await parts.shop.close();
        await parts.accounts.close();
        await resources.release();
      },
    };
  } catch (error) {
    await resources.release();
    throw error;
  }
}

interface Parts {
  clock: Clock;
  journal: Journal;
  exchanges: DeviceExchanges;
  accounts: Accounts;
  shop: Shop;
  qr: PaymentParts;
  loyalty: LoyaltyComposition;
  agents: AgentParts;
  rack: Rack;
  lanes: Lanes;
  metrics: Metrics;
  operations: Operations;
  questions: RegisterQuestions;
  services: OperationServices;
  printer: ReceiptPrinter;
  recovery: Recovery;
  housekeeping: Housekeeping;
  concernLog: ConcernLog;
  alerts: AlertParts;
  watch: Rounds;
  registers: () => SeenRegister[];
  /** Absent: this process has the database for itself alone. */
  cluster?: ClusterParts;
}

function buildParts(config: Config, log: Log, { store, session }: Taken): Parts {
  const clock = clockAhead(config.clockAheadMs);
  const chance = systemChance;
  const lanes = new Lanes();
  const cluster = composeCluster({
    ...{ config, store, session, clock, chance, log, lanes },
    rack: () => rack,
    hub: () => agents.hub,
    journal: () => journal,
    observer: () => metrics.cluster,
  });
  const done = (entry: Entry) => tellUnreadMarks({ log, metrics }, entry);
  const journal = new Journal({ store, clock, done, ...journalTold(log), ...cluster?.journal });
  const exchanges = new DeviceExchanges({ store, clock, log });
  const agents = composeAgents({ config, store, clock, chance, log, metrics: () => metrics, journal, cluster: cluster?.agents });
  const rack = rackOf({ config, clock, chance, log, exchanges, agents, cluster });
  const accounts = composeAccounts({ config, store, clock, chance, log, parseRegister: (address) => rack.parse(address) });
  const sources = { ...sourcesOf({ store, journal, lanes, rack, clock, agents }), ...cluster?.sources };
  const metrics = new Metrics({ version: VERSION, sources });
  const needs = { config, store, accounts, clock, chance, log, metrics, ...cluster?.background };
  const shop = composeShop(needs);
  const qr = composePayments({ ...needs, storeNameOf: (key, id) => shop.storeNameOf(key, id) });
  const loyalty = composeLoyalty({ ...needs, foldersOf: (key, ids) => shop.lookUp.foldersOf(key, ids) });
  const printer = createReceiptPrinter();
  const services = operationServicesOf({ ...needs, journal, exchanges, lanes, rack, shop, printer, agents, cluster });
  const operations = new Operations(services, lanes);
  const questions = new RegisterQuestions(services, lanes);
  const recovery = new Recovery(services, lanes, () => rack.silent());
  const housekeeping = new Housekeeping({
    journal,
    days: new DayParts(store),
    clock,
    log,
    ...present({ onlyHere: cluster?.background.once("housekeeping") }),
  });
  const concernLog = new ConcernLog({ registers: sources.registers, clock, log });
  const alerts = composeAlerts({ ...needs, journal, shop, registers: sources.registers });
  const watch = watchPlace(clock, store);
  return {
    clock,
    journal,
    exchanges,
    accounts,
    shop,
    qr,
    loyalty,
    agents,
    rack,
    lanes,
    metrics,
    operations,
    questions,
    services,
    printer,
    recovery,
    housekeeping,
    concernLog,
    alerts,
    watch,
    registers: sources.registers,
    ...present({ cluster }),
  };
}

type OperationNeeds = Pick<Parts, "clock" | "journal" | "exchanges" | "accounts" | "shop" | "lanes" | "rack" | "metrics" | "printer"> & {
  config: Config;
  chance: Chance;
  log: Log;
  agents: AgentParts;
  cluster: ClusterParts | undefined;
};

function operationServicesOf(needs: OperationNeeds): OperationServices {
  const { agents, config, clock, chance, log, journal, exchanges, accounts, shop, lanes, rack, metrics, printer, cluster } = needs;
  return {
    journal,
    exchanges,
    stopping: lanes.stopping,
    clock,
    chance,
    log,
    refusals: new RefusalBound({ clock, log, observe: (what) => metrics.observeBeyondBound(what) }),
    registers: rack,
    ...present({ defaultRegister: config.defaultRegister }),
    rulesOf: (appId, accountId, storeId) => accounts.settings.of(appId, accountId, storeId),
    unusable: agents.unusable,
    lookUp: (party, operation) => shop.lookUp.lookUp(party, operation),
    drivesOf: (appId) => (config.production && accounts.credentials.get(appId)?.test !== true ? "live" : "test"),
    draw: async (order) => (await printer.drawReceipt(order)).zip,
    observe: (kind, outcome, durationMs) => metrics.observeOperation(kind, outcome, durationMs),
    returnedMore: (how) => metrics.observeReturnedMore(how),
    ...cluster?.operations,
  };
}

interface RackNeeds {
  config: Config;
  clock: Clock;
  chance: Chance;
  log: Log;
  exchanges: DeviceExchanges;
  agents: AgentParts;
  cluster: ClusterParts | undefined;
}

/** Makes the registers. Throws a `Failure` when DEFAULT_REGISTER is no register address for this server. */
function rackOf({ config, clock, chance, log, exchanges, agents, cluster }: RackNeeds): Rack {
  const services = {
    clock,
    chance,
    dataDir: config.dataDir,
    ...(config.agents.on ? { tunnel: agents.hub } : {}),
    note: (level: "trace" | "warn", text: string, values: Record<string, unknown>) => log[level](values, text),
    exchanged: (address: string, step: ExchangeStep) => exchanges.note(address, step),
    tracing: config.logLevel === "trace",
    ...cluster?.rack,
  };
  const rack = new Rack(services, cluster === undefined ? REGISTER_PROTOCOLS : SHARED_PROTOCOLS);
  if (config.defaultRegister !== undefined) checkDefaultRegister(rack, config.defaultRegister);
  return rack;
}

function buildSite(config: Config, log: Log, store: Store, parts: Parts): RequestListener {
  const { clock, accounts, shop, metrics, operations, qr, loyalty } = parts;
  const { profile } = config;
  const { credentials, installations, settings, setUp } = accounts;
  const seenTokens = new SeenTokens({ store, clock });
  const scales = { money: config.moneyScale, cash: config.cashScale };
  const submit = (submission: Submission) => operations.submit(submission);
  // Without a public address the documentation names the server that it was loaded from.
  const serverUrl = config.publicUrl ?? "/";
  const contracts = [vendorSpec(profile), fiscalSpec(profile), QR_SPEC, loyaltySpec(profile), eventsSpec(profile), HOOKS_SPEC, AGENTS_SPEC];
  const documentation = openApiDocument({ title: "Fiscal solution", version: VERSION, serverUrl, contracts });
  const activated = (key: InstallationKey) => shop.upkeep.soon(key);
  const reading = { clock, longBodies: new LongBodies(clock) };
  const vendor = { ...reading, profile, credentials, installations, seenTokens, isComplete: setUp.isComplete, activated };
  return application({
    requestIdHeader: profile.headers.requestId,
    mounts: [
      { base: "/vendor", router: vendorRoutes(vendor) },
      {
        base: "/fiscal",
        router: fiscalRoutes({ profile, installations, settings, pairingAllowed: !config.production, scales, submit, ...reading }),
      },
      { base: "/qr", router: qrRoutes({ ...qr, issuer: profile.qrIssuer, ...reading }) },
      {
        base: "/loyalty",
        router: loyaltyRoutes({ ...loyalty, ...reading, profile, observe: (...call) => metrics.loyalty.observeCall(...call) }),
      },
      { base: "/hooks", router: hooksRoutes({ ...qr, clock }) },
      { base: "/webhooks", router: eventsRoutes({ notifications: shop.notifications, ...reading, chance: systemChance }) },
      ...agentMounts(config, parts.agents),
      { base: "/settings", router: settingsRoutes(settingsPageServices({ ...parts, config, store, chance: systemChance })) },
      // Without users nobody could log in, so there is no console.
      ...(config.consoleUsers.length === 0
        ? []
        : [{ base: "/console", router: consoleRoutes(consoleServices({ ...parts, config, store, chance: systemChance })) }]),
      {
        base: "/",
        router: probeRouter({
          clock,
          checks: [...readyChecks(store), ...(parts.cluster?.checks ?? [])],
          metrics,
          ...parts.cluster?.probes,
        }),
      },
      { base: "/", router: docsRouter(documentation) },
    ],
    log,
    clock,
    chance: systemChance,
    observe: (request) => metrics.observeRequest(request),
  });
}

async function listen(config: Config, log: Log, server: HttpServer, parts: Parts): Promise<string> {
  const { accounts, shop, qr, loyalty, recovery, housekeeping, concernLog, alerts, watch, exchanges } = parts;
  await parts.journal.rememberNewest();
  await parts.cluster?.start(parts);
  await parts.agents.start();
  const { host, port } = await server.listen(config.host, config.port);
  for (const part of [recovery, housekeeping, exchanges, concernLog, alerts.alerts, watch]) part.start();
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  qr.start(address);
  loyalty.start(reachableAt(config, address));
  shop.notifications.start();
  shop.upkeep.start(reachableAt(config, address));
  void tellPlatform(accounts, log);
  return address;
}

/**
 * Returns the address at which the platform reaches the server: the public address, or the server's own address for a platform on this
 * machine (the sandbox). Undefined: the platform cannot reach the server.
 */
function reachableAt({ publicUrl, profile }: Config, address: string): string | undefined {
  return publicUrl ?? (isLoopback(profile.baseUrl) ? address : undefined);
}

/** Accepts no new requests, lets running work at devices finish, and closes all parts. */
async function stop(server: HttpServer, parts: Parts): Promise<void> {
  const { accounts, shop, qr, loyalty, recovery, housekeeping, concernLog, alerts, watch, lanes, rack, exchanges } = parts;
  lanes.stop();
  await parts.cluster?.leave(() => parts.agents.close());
  await server.close(HTTP_STOP_LIMIT_MS);
  const rounds = [qr, loyalty, shop.upkeep, shop.notifications, recovery, housekeeping, concernLog, alerts, watch];
  for (const part of rounds) await part.close();
  await lanes.idle();
  await parts.agents.close();
  await exchanges.close();
  await parts.cluster?.close();
  await rack.close();
  await shop.close();
  await accounts.close();
}

function checkDefaultRegister(rack: Rack, address: string): void {
  const parsed = rack.parse(address.replaceAll("{store}", "store"));
  if (parsed.kind === "invalid") throw new Failure("configuration", "caller", `DEFAULT_REGISTER: ${parsed.problem}`);
}
