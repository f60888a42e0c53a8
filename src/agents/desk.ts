import { type Actor, writeAudit } from "../accounts/audit.ts";
import type { InstallationKey } from "../accounts/installation.ts";
import type { Clock } from "../kernel/clock.ts";
import { present } from "../kernel/present.ts";
import type { AgentCodeRow, AgentRegisterRow, AgentRow } from "../store/agent-tables.ts";
import type { Store } from "../store/database.ts";
import { registerAddress } from "./address.ts";
import type { AgentState, ShownAgent, ShownRegister } from "./agent.ts";
import { lockAgent, updateAgent } from "./agent-queries.ts";
import { acceptCopy } from "./copies.ts";
import { type AgentView, type HeldAgent, viewOf } from "./held-agent.ts";
import { agentsInSteps, registersOf, waitingCodesInSteps } from "./listed-agents.ts";
import { acceptDevice, otherIn, pinnedIn, type SeenDevice } from "./pins.ts";

/** What this server process holds in memory about agents. */
interface Live {
  held(name: string): HeldAgent | undefined;
  /** Returns the agents that are connected to other processes, by name. Absent: there is one process only. */
  elsewhere?(): Promise<ReadonlyMap<string, AgentView>>;
  refresh(name: string): Promise<void>;
}

export type Accepted =
  | { kind: "unknown" }
  | { kind: "nothing" }
  /** `copy`: which copy is the agent from now on. `device`: the accepted device. */
  | { kind: "accepted"; copy?: "other" | "connected"; device?: SeenDevice };

interface DeskServices {
  store: Pick<Store, "commit" | "read">;
  clock: Clock;
  /** Absent: this process is not a server. */
  live?: Live;
}

/** What people see of agents and decide about them. */
export class AgentDesk {
  readonly #services: DeskServices;

  constructor(services: DeskServices) {
    this.#services = services;
  }

  /** Returns the agents of one installation or of all, sorted by name. Includes valid codes whose name has no agent. */
  async list(key?: InstallationKey): Promise<ShownAgent[]> {
    const { store, clock, live } = this.#services;
    const shown: ShownAgent[] = [];
    let elsewhere: ReadonlyMap<string, AgentView> | undefined;
    for await (const agents of agentsInSteps(store, key)) {
      if (elsewhere === undefined && this.#areElsewhere(agents)) elsewhere = await live?.elsewhere?.();
      const registers = await registersOf(store, agents);
      for (const row of agents) shown.push(shownAgent(row, registers.get(row.name) ?? [], this.#viewOf(row, elsewhere)));
    }
    for await (const codes of waitingCodesInSteps(store, clock.nowMs(), key)) shown.push(...codes.map(shownCode));
    return shown.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Whether the database names another process for one of these agents. */
  #areElsewhere(agents: readonly AgentRow[]): boolean {
    const { live } = this.#services;
    return live !== undefined && agents.some(({ name, process }) => process !== null && viewOf(live.held(name)) === undefined);
  }

  /**
   * Returns what is known about a connected agent. An agent counts as connected when its row names another process, even if that process
   * does not answer. `elsewhere`: the agents of other processes; undefined if they were not asked.
   */
  #viewOf({ name, process, epoch }: AgentRow, elsewhere: ReadonlyMap<string, AgentView> | undefined): AgentView | undefined {
    const stored = process === null || elsewhere === undefined ? undefined : { epoch, seen: {} };
    return viewOf(this.#services.live?.held(name)) ?? elsewhere?.get(name) ?? stored;
  }

  /** Revokes an agent. False: no agent has this name. Safe to repeat. */
  async revoke(name: string, actor: Actor): Promise<boolean> {
    const { store, clock, live } = this.#services;
    const known = await store.commit(async (tx) => {
      const row = await lockAgent(tx, name);
      if (row === undefined) return false;
      if (row.revoked_at_ms !== null) return true;
      await updateAgent(tx, row, { revoked_at_ms: clock.nowMs(), ...TAKEN_AWAY });
      await writeAudit(tx, { atMs: clock.nowMs(), key: keyOf(row), actor }, { act: "agent", subject: name, after: "revoked" });
      return true;
    });
    await live?.refresh(name);
    return known;
  }

  /** Accepts a refused copy of the agent, a refused device at the register, or both. Safe to repeat. */
  async accept(place: { name: string; register: string }, actor: Actor): Promise<Accepted> {
    const { store, clock, live } = this.#services;
    const isHere = live?.held(place.name)?.connection !== undefined;
    const accepted = await store.commit(async (tx): Promise<Accepted> => {
      const row = await lockAgent(tx, place.name);
      if (row === undefined) return { kind: "unknown" };
      const copy = await acceptCopy(tx, clock, row, isHere || row.process !== null);
      const device = await acceptDevice(tx, place);
      if (copy.kind === "none" && device === undefined) return { kind: "nothing" };
      await updateAgent(tx, row, TAKEN_AWAY);
      const at = { atMs: clock.nowMs(), key: keyOf(row), actor };
      if (copy.kind !== "none") await writeAudit(tx, at, { act: "agent", subject: place.name, after: `copy ${copy.kind}` });
      if (device !== undefined) {
        const after = `${device.serialNumber} ${device.driveNumber}`;
        await writeAudit(tx, at, { act: "agent", subject: registerAddress(place.name, place.register), after });
      }
      return { kind: "accepted", ...(copy.kind === "none" ? {} : { copy: copy.kind }), ...present({ device }) };
    });
    await live?.refresh(place.name);
    return accepted;
  }

  /** Accepts a copy of every agent in the state `forked`, but no devices. Returns the names of these agents. */
  async acceptAllForked(actor: Actor): Promise<string[]> {
    const { store } = this.#services;
    const forked: string[] = [];
    for await (const agents of agentsInSteps(store)) {
      forked.push(...agents.filter((row) => row.forked_epoch !== null).map(({ name }) => name));
    }
    const names: string[] = [];
    for (const name of forked) {
      const accepted = await this.accept({ name, register: NO_REGISTER }, actor);
      if (accepted.kind === "accepted") names.push(name);
    }
    return names;
  }
}

/**
 * Written to an agent's row after a person's decision. The row then names no process. The process with the agent's connection notices the
 * change, reads the agent again, and keeps or ends the connection.
 */
const TAKEN_AWAY = { connected: 0, process: null } as const;

/** No register has this name, so `accept` accepts no device. */
const NO_REGISTER = "";

function shownAgent(row: AgentRow, registers: readonly AgentRegisterRow[], view: AgentView | undefined): ShownAgent {
  const sinceMs = view?.sinceMs ?? row.since_ms ?? row.enrolled_at_ms;
  return {
    name: row.name,
    account: row.account_id,
    state: stateOf(row, view),
    since: new Date(row.revoked_at_ms ?? sinceMs).toISOString(),
    version: row.version,
    protocol: row.protocol,
    epoch: row.epoch,
    rttMs: view?.rttMs === undefined ? null : Math.round(view.rttMs * 10) / 10,
    clockOffMs: null,
    unfinished: view?.unfinished ?? null,
    registers: registers.map((register) => shownRegister(register, view)),
  };
}

function stateOf(row: AgentRow, view: AgentView | undefined): AgentState {
  if (row.revoked_at_ms !== null) return "revoked";
  if (row.forked_epoch !== null) return "forked";
  if (view !== undefined) return "connected";
  return row.folder === null ? "waiting" : "away";
}

function shownRegister(row: AgentRegisterRow, view: AgentView | undefined): ShownRegister {
  const [pinned, other] = [pinnedIn(row), otherIn(row)];
  return {
    name: row.register,
    scheme: row.scheme,
    serialNumber: pinned?.serialNumber ?? null,
    driveNumber: pinned?.driveNumber ?? null,
    pinned: pinned !== undefined && other === undefined,
    state: view?.seen[row.register] ?? "unknown",
    ...(other === undefined ? {} : { other }),
  };
}

function shownCode({ name, account_id, expires_at_ms }: AgentCodeRow): ShownAgent {
  return {
    name,
    account: account_id,
    state: "waiting",
    since: null,
    version: null,
    protocol: null,
    epoch: null,
    rttMs: null,
    clockOffMs: null,
    unfinished: null,
    registers: [],
    codeUntil: new Date(expires_at_ms).toISOString(),
  };
}

function keyOf({ app_id, account_id }: AgentRow): InstallationKey {
  return { appId: app_id, accountId: account_id };
}
