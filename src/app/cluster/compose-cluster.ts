import { agentIn } from "../../agents/address.ts";
import type { Enrolment } from "../../agents/enrolment.ts";
import type { AgentView } from "../../agents/held-agent.ts";
import type { AgentHub } from "../../agents/hub.ts";
import type { ConditionSources } from "../../alerts/conditions.ts";
import { agentPlaceOf, placesOfAgents } from "../../cluster/agent-places.ts";
import { CallKeys } from "../../cluster/call-proof.ts";
import { Cluster } from "../../cluster/cluster.ts";
import { Departures } from "../../cluster/departures.ts";
import { type CallHandler, inboundCalls } from "../../cluster/inbound.ts";
import type { ClusterObserver } from "../../cluster/services.ts";
import type { ReadyCheck } from "../../http/probes.ts";
import { HttpServer } from "../../http/server.ts";
import type { Journal, JournalParts } from "../../journal/journal.ts";
import { type Chance, type Clock, pause } from "../../kernel/clock.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { present } from "../../kernel/present.ts";
import type { Once } from "../../kernel/rounds.ts";
import type { Lanes } from "../../operations/lanes.ts";
import type { OperationServices } from "../../operations/services.ts";
import type { Operations } from "../../operations/submit.ts";
import type { Rack } from "../../registers/rack.ts";
import type { Register } from "../../registers/register.ts";
import type { Store } from "../../store/database.ts";
import type { SharedSchemaLock } from "../../store/schema-lock.ts";
import type { Accounts } from "../accounts.ts";
import type { AgentsAmongProcesses } from "../agents/agents.ts";
import type { Config } from "../config.ts";
import { VERSION } from "../version.ts";
import { bindingOf } from "./binding.ts";
import { answerQuestion, passedRegister, QUESTION_PATH } from "./passed-question.ts";
import { readSubmission, readSubmitted, SUBMIT_PATH, writeSubmission, writeSubmitted } from "./passed-submission.ts";
import { isOpenIn, SentAgents } from "./sent-agents.ts";
import { wrongCodeSchema } from "./submission-schema.ts";
import { readSeenRegisters, readViews, writeSeenRegisters, writeViews } from "./told-lists.ts";
import { refuseUnshared } from "./unshared-settings.ts";

/**
 * A process that was asked to stop serves at least this long, if another process serves. Proxies ask every second or two, and must first
 * see that the process is not ready.
 */
const NOTICE_MS = 3_000;
const CALLS_STOP_LIMIT_MS = 12_000;
/** A URL's `port` is empty for this port. */
const HTTP_PORT = 80;

interface ClusterNeeds {
  config: Pick<Config, "secretKey" | "cluster">;
  store: Store;
  /** Absent: this process has the database for itself alone. */
  session: SharedSchemaLock | undefined;
  clock: Clock;
  chance: Chance;
  log: Log;
  lanes: Lanes;
  /** Returns the rack, which is made after the cluster. */
  rack(): Pick<Rack, "release" | "letGo" | "again">;
  /** Returns the hub of agents, which is made after the cluster. */
  hub(): Pick<AgentHub, "follow" | "views" | "arrived" | "here" | "sendOn" | "leaveToOthers">;
  /** Returns the journal, which is made after the cluster. */
  journal(): Pick<Journal, "rememberNewest">;
  /** Returns the metrics, which are made after the cluster. */
  observer(): ClusterObserver | undefined;
}

interface StartParts {
  operations: Pick<Operations, "submitHere">;
  registers: ConditionSources["registers"];
  accounts: Pick<Accounts, "installations" | "settings">;
  agents: { enrolment: Pick<Enrolment, "countWrong"> };
}

export interface ClusterParts {
  cluster: Cluster;
  journal: Required<Pick<JournalParts, "fence">>;
  rack: Required<Pick<ConstructorParameters<typeof Rack>[0], "right" | "owners" | "elsewhere">>;
  operations: Required<Pick<OperationServices, "held" | "permission">>;
  agents: AgentsAmongProcesses;
  sources: { leases(): number };
  background: {
    once: Once;
    /** The registers of the other processes, for alerts. */
    others(): Promise<ReturnType<ConditionSources["registers"]>>;
  };
  probes: { isLeaving(): boolean };
  checks: readonly ReadyCheck[];
  /**
   * Checks the settings of the points of sale, opens CLUSTER_URL, joins the other processes and starts the timers. Throws when one of these
   * steps fails.
   */
  start(parts: StartParts): Promise<void>;
  /**
   * Gives the registers away while requests are still served. `farewell`: called after the last work at registers. If no other process
   * serves, or the database cannot be told of the leaving, the registers stay, and `farewell` is not called.
   */
  leave(farewell: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Makes the parts of a process that shares its database with others. Undefined: the process has the database for itself alone. */
export function composeCluster(needs: ClusterNeeds): ClusterParts | undefined {
  const { config, clock, log, lanes, session } = needs;
  if (config.cluster === undefined || session === undefined) return undefined;
  const { url, leaseMs } = config.cluster;
  const keys = new CallKeys(config.secretKey);
  const idle = (register: string) => lanes.idleAt(register);
  const cluster = new Cluster({
    ...needs,
    keys,
    url,
    leaseMs,
    version: VERSION,
    sessionPid: session.sessionPid,
    idle,
    observe: observerOf(needs),
    ...rackPartsOf(needs),
    // An agent's register belongs to the process that the agent is connected to.
    preferred: agentPlaceOf,
    alsoRead: (reading) => {
      needs.hub().follow(placesOfAgents(reading), (process) => isOpenIn(reading, process));
      sent.follow(reading);
      departures.follow(reading);
    },
  });
  const { fence, holdings, devices } = cluster;
  const sent = new SentAgents({ hub: needs.hub, holdings, log, self: cluster.membership.id });
  const departures = departuresOf(cluster, needs);
  let inbound: HttpServer | undefined;
  return {
    cluster,
    journal: { fence: (tx, register) => fence.holds(tx, register) },
    rack: { right: (register) => fence.sending(register), owners: devices, elsewhere: (...place) => elsewhereOf(cluster, ...place) },
    operations: operationPartsOf(cluster, needs),
    background: {
      once: (work) => () => cluster.doesNow(work),
      async others() {
        const answers = await cluster.askAll(REGISTERS_PATH);
        const registers: ReturnType<ConditionSources["registers"]>[number][] = [];
        for (const body of answers) for (const register of await readSeenRegisters(body)) registers.push(register);
        return registers;
      },
    },
    agents: agentPartsOf(cluster, log),
    sources: { leases: () => holdings.registers.length },
    probes: { isLeaving: () => cluster.membership.leaving },
    checks: [leaseCheck(cluster)],
    async start(parts) {
      await refuseUnshared(parts.accounts);
      const application = inboundCalls({ keys, membership: cluster.membership, log, clock, handlers: handlersOf(cluster, needs, parts) });
      inbound = new HttpServer({ application, log, clock });
      await inbound.listen(bindingOf(url), Number(new URL(url).port || HTTP_PORT));
      await cluster.membership.join();
      await cluster.mustBeReachable();
      cluster.membership.start();
    },
    async leave(farewell) {
      if (!(await cluster.leave())) return;
      const { reading, id: self } = cluster.membership;
      // A lone process keeps its registers and does not wait, because a proxy has no other process to choose.
      if (reading.processes.some(({ id, state }) => id !== self && state === "serving")) {
        await Promise.all([pause(clock, NOTICE_MS), Promise.all([holdings.giveAllAway(), sent.leave()]).then(farewell)]);
      }
    },
    async close() {
      await cluster.close();
      await inbound?.close(CALLS_STOP_LIMIT_MS);
    },
  };
}

function departuresOf({ membership, holdings }: Cluster, { log, journal }: ClusterNeeds): Departures {
  const isHere = (register: string) => holdings.until(register) !== undefined;
  return new Departures({ self: membership.id, log, remember: () => journal().rememberNewest(isHere) });
}

function operationPartsOf(cluster: Cluster, { hub }: Pick<ClusterNeeds, "hub">): ClusterParts["operations"] {
  const { fence, holdings } = cluster;
  return {
    permission: (register) => fence.permission(register),
    held: {
      async enter(register) {
        if (!(await holdings.enter(register))) return undefined;
        const stands = fence.standing(register);
        // `stands` also turns false when this process was not allowed to send. Then the result of the work is invalid, and the work is
        // repeated.
        return stands === undefined ? undefined : { stands };
      },
      async arrived(register) {
        const agent = agentIn(register);
        if (agent !== undefined) await hub().arrived(agent);
      },
      pull: (register) => cluster.pull(register),
      forward: async (register, submission, deadline) =>
        readSubmitted(await cluster.forward(register, { path: SUBMIT_PATH, body: writeSubmission(submission) }, deadline)),
    },
  };
}

/** Returns a register that passes questions on to the process of the register's agent. Undefined: no other process keeps the register. */
function elsewhereOf(cluster: Cluster, register: string, zone: string, zoneKnown?: boolean): Register | undefined {
  if (!cluster.isKeptElsewhere(register)) return undefined;
  const place = { register, zone, ...present({ zoneKnown }) };
  return passedRegister(place, (body, deadline) => cluster.askHolder(register, { path: QUESTION_PATH, body }, deadline));
}

function agentPartsOf(cluster: Cluster, log: Log): AgentsAmongProcesses {
  const { holdings, membership } = cluster;
  return {
    process: membership.id,
    // The call `settled` only tells an agent what the database contains, so a process may make the call without holding the register. The
    // call uses the newest known token, which does not end the rights of the register's process.
    fenceOf: (register, call) => (call === "settled" ? holdings.tokenOf(register) : holdings.until(register)?.lease.token),
    isChosen: () => cluster.doesNow("agents"),
    enter: (register) => holdings.enter(register),
    async elsewhere() {
      const answers = await cluster.askSome(AGENTS_PATH, AGENTS_LIMIT_MS);
      const views = new Map<string, AgentView>();
      for (const body of answers) {
        try {
          for (const [name, view] of await readViews(body)) views.set(name, view);
        } catch (error) {
          // The agents of that process are shown from the database, as for a process that does not answer.
          log.warn({ error: messageOf(error) }, "the agents of another process are not known");
        }
      }
      return views;
    },
    async tellWrong(source) {
      await cluster.askSome(WRONG_CODE_PATH, WRONG_CODE_LIMIT_MS, Buffer.from(JSON.stringify({ source })));
    },
  };
}

function rackPartsOf({ rack }: ClusterNeeds) {
  return {
    release: (register: string) => rack().release(register),
    letGo: (device: string) => rack().letGo(device),
  };
}

/** The calls from other processes, by path. */
function handlersOf(
  cluster: Cluster,
  { hub, rack, clock, lanes }: ClusterNeeds,
  { operations, registers, agents }: StartParts,
): Readonly<Record<string, CallHandler>> {
  const asking = {
    enter: (register: string) => cluster.holdings.enter(register),
    deviceOf: (register: string, zone: string, zoneKnown: boolean | undefined) => rack().again(register, zone, zoneKnown),
  };
  return {
    ...cluster.handlers,
    [SUBMIT_PATH]: async (body) => writeSubmitted(await operations.submitHere(readSubmission(body))),
    [QUESTION_PATH]: (body) => answerQuestion({ ...asking, clock, lanes }, body),
    [AGENTS_PATH]: async () => ({ outcome: "agents", body: await writeViews(hub().views()) }),
    [WRONG_CODE_PATH]: async (body) => {
      agents.enrolment.countWrong(wrongCodeSchema.parse(JSON.parse(body.toString("utf8"))).source);
      return { outcome: "counted", body: Buffer.from("{}") };
    },
    [REGISTERS_PATH]: async () => ({ outcome: "registers", body: await writeSeenRegisters(registers()) }),
  };
}

function observerOf({ observer }: ClusterNeeds): ClusterObserver {
  return {
    renewed: (durationMs) => observer()?.renewed(durationMs),
    takenOver: (why) => observer()?.takenOver(why),
    fenced: (where) => observer()?.fenced(where),
    forwarded: (outcome, durationMs) => observer()?.forwarded(outcome, durationMs),
  };
}

function leaseCheck({ membership }: Cluster): ReadyCheck {
  return {
    name: "lease",
    async check() {
      if (!membership.isSafe()) throw new Failure("cluster-lease", "dependency", "the lease of this process is not renewed");
    },
  };
}

const REGISTERS_PATH = "/internal/registers";
const AGENTS_PATH = "/internal/agents";
/** How long another process may take to list its agents. A command that lists agents waits 3 s at most. */
const AGENTS_LIMIT_MS = 1_000;
const WRONG_CODE_PATH = "/internal/wrong-code";
/** The answer to a wrong code waits until the other processes have counted the code, but at most this long. */
const WRONG_CODE_LIMIT_MS = 500;
