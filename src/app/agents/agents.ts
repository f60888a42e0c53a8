import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { InstallationKey } from "../../accounts/installation.ts";
import { agentIn } from "../../agents/address.ts";
import type { ConnectionServices } from "../../agents/connection.ts";
import { AgentDesk } from "../../agents/desk.ts";
import { Enrolment } from "../../agents/enrolment.ts";
import type { AgentView } from "../../agents/held-agent.ts";
import { AgentHub } from "../../agents/hub.ts";
import { unknownAgentOf } from "../../agents/ownership.ts";
import { AgentRequests } from "../../agents/requests.ts";
import { unknownAgent } from "../../agents/words.ts";
import { agentsRoutes, agentsSpec } from "../../contracts/agents/routes.ts";
import type { ContractSpec } from "../../http/route.ts";
import { callerOf, networkOf, networksOf } from "../../http/source.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Chance, Clock } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import { present } from "../../kernel/present.ts";
import { withoutQuery } from "../../kernel/web-address.ts";
import { PROTOCOLS } from "../../registers/agent/wire/protocol.ts";
import {
  agentDocumentSchema,
  agentIdentitySchema,
  agentInspectSchema,
  agentOutcomeSchema,
} from "../../registers/agent/wire/register-schema.ts";
import { WebSocketDoor } from "../../registers/agent/wire/web-socket.ts";
import type { Store } from "../../store/database.ts";
import type { Config } from "../config.ts";
import type { Metrics } from "../metrics.ts";

interface AgentNeeds {
  config: Config;
  store: Store;
  clock: Clock;
  chance: Chance;
  log: Log;
  metrics(): Metrics;
  journal: { heads: Pick<Journal["heads"], "unfinishedAttempts"> };
  /** Absent: no other process shares the database. */
  cluster?: AgentsAmongProcesses | undefined;
}

/** What the agents need of the cluster, in a process that shares its database with other processes. */
export interface AgentsAmongProcesses {
  process: string;
  fenceOf: ConnectionServices["fenceOf"];
  /** True when this process answers the requests that any process could answer. */
  isChosen(): Promise<boolean>;
  /** Takes a register for this process, unless another process has it. */
  enter(register: string): Promise<boolean>;
  /** Returns the other processes' agents, by name. */
  elsewhere(): Promise<ReadonlyMap<string, AgentView>>;
  /** Lets the other processes count a wrong code of enrolment. Never rejects. */
  tellWrong(source: string): Promise<void>;
}

export interface AgentParts {
  hub: AgentHub;
  enrolment: Enrolment;
  desk: AgentDesk;
  /** Returns why an account may not use a register, for the cashier. Undefined: the account may use the register. */
  unusable(key: InstallationKey, canonical: string): Promise<string | undefined>;
  /** Reads the agents and begins to answer commands. Call it before the server listens. */
  start(): Promise<void>;
  /** Ends the connections. Call it after the last work at registers. */
  close(): Promise<void>;
}

/** Makes the server's side of shop agents. */
export function composeAgents({ config, store, clock, chance, log, metrics, journal, cluster }: AgentNeeds): AgentParts {
  const { pingMs, silenceMs, limit } = config.agents;
  const hub = new AgentHub({
    store,
    clock,
    chance,
    log,
    pingMs,
    silenceMs,
    limit,
    zone: config.timeZone,
    ...(cluster === undefined ? {} : { fenceOf: cluster.fenceOf, process: cluster.process }),
    unfinishedAttempts: () => journal.heads.unfinishedAttempts(),
    observe: {
      bytes: (direction, bytes) => metrics().agents.bytes(direction, bytes),
      call: (call, end, durationMs) => metrics().agents.call(call, end, durationMs),
      connect: (outcome) => metrics().agents.connect(outcome),
      refused: (why) => metrics().agents.refused(why),
      logDropped: (lines) => metrics().agents.logDropped(lines),
    },
  });
  const enrolment = new Enrolment({ store, clock, chance, ...present({ tellWrong: cluster?.tellWrong }) });
  const live = {
    held: (name: string) => hub.held(name),
    refresh: (name: string) => hub.refresh(name),
    ...present({ elsewhere: cluster?.elsewhere }),
  };
  const desk = new AgentDesk({ store, clock, live });
  const requests = new AgentRequests({ store, clock, log, hub, desk, ...present({ isChosen: cluster?.isChosen, enter: cluster?.enter }) });
  return {
    hub,
    enrolment,
    desk,
    async unusable(key, canonical) {
      const name = agentIn(canonical);
      if (name === undefined) return undefined;
      // The agent may have been enrolled through another process, or have connected to another process since it was read.
      if (cluster !== undefined && hub.held(name)?.connection === undefined) await hub.refresh(name);
      const agent = await store.read((db) => unknownAgentOf(db, key, canonical, clock.nowMs()));
      return agent === undefined ? undefined : unknownAgent(agent);
    },
    async start() {
      await hub.open();
      requests.start();
    },
    async close() {
      await hub.close();
      await requests.close();
    },
  };
}

/** The agents' contract, for the documentation. */
export const AGENTS_SPEC: ContractSpec = agentsSpec({
  AgentIdentity: agentIdentitySchema,
  AgentInspect: agentInspectSchema,
  AgentDocument: agentDocumentSchema,
  AgentOutcome: agentOutcomeSchema,
});

/** Returns the mount of the agents' addresses. Empty when agents are off. */
export function agentMounts(
  { agents: { on }, trustedProxies }: Config,
  { hub, enrolment }: AgentParts,
): { base: string; router: ReturnType<typeof agentsRoutes> }[] {
  if (!on) return [];
  const services = {
    enrolment,
    server: () => hub.serverId,
    protocol: PROTOCOLS,
    trustedProxies: networksOf(trustedProxies),
    enrolled: (name: string) => hub.refresh(name),
  };
  return [{ base: "/agents", router: agentsRoutes(services) }];
}

const CONNECT = "/agents/connect";

/** Returns the handler that takes the agents' connections out of HTTP. Empty when agents are off. */
export function agentUpgrades({ agents: { on }, trustedProxies }: Config, { hub }: AgentParts) {
  if (!on) return {};
  const door = new WebSocketDoor();
  const trusted = networksOf(trustedProxies);
  return {
    upgrades: {
      takes: ({ url = "", headers }: IncomingMessage) =>
        withoutQuery(url).replace(/\/{2,}/g, "/") === CONNECT && headers.upgrade?.toLowerCase() === "websocket",
      take: (request: IncomingMessage, socket: Socket, head: Buffer) => {
        const source = networkOf(callerOf(request, trusted));
        door.upgrade(request, socket, head, (opened) => hub.take(opened, source, () => opened.trust()));
      },
    },
  };
}
