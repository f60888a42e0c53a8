import type { Clock } from "../kernel/clock.ts";
import { pause } from "../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../kernel/deadline.ts";
import type { Store } from "../store/database.ts";
import { agentPlaceOf, placesOfAgents } from "./agent-places.ts";
import { REGISTER_LEASES, registerLease } from "./lease-names.ts";
import { countQueued, type ProcessRow, type Reading, readCluster, setDraining, wantLease } from "./queries.ts";

/**
 * A process is shown as lost after this many lease times without a renewal. Its row may not say so, because perhaps no other process runs
 * that could count it as lost.
 */
const SHOWN_LOST_LEASES = 2;
/** The pause between two database reads while a person waits. */
const LOOK_MS = 100;
/** How long a person waits for registers to move. Each register moves after its running work. */
const MOVE_LIMIT_MS = 30_000;
/** How long agents may take to connect to another process. A proxy may connect them to the same process again. */
const AGENTS_LIMIT_MS = 5_000;

export interface ProcessShown {
  id: string;
  url: string;
  version: string;
  sinceMs: number;
  seenMs: number;
  state: ProcessRow["state"];
  registers: number;
}

export interface RegisterShown {
  register: string;
  holder?: string;
  token: number;
  sinceMs?: number;
  waiting: number;
}

type Moved =
  | { kind: "moved"; register: RegisterShown }
  | { kind: "unknown-register" }
  | { kind: "not-open"; state: string }
  /** The register stays at `process`, because its agent is connected there. */
  | { kind: "at-agent"; process: string }
  | { kind: "late" };

/** What people see and order in a cluster. A command uses this class in a process beside the servers. */
export class ClusterOverview {
  readonly #store: Pick<Store, "commit" | "read">;
  readonly #clock: Clock;

  constructor(store: Pick<Store, "commit" | "read">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns all processes with the number of their registers. */
  async processes(): Promise<ProcessShown[]> {
    const reading = await this.#read();
    return reading.processes.map((process) => {
      const { id, url, version, sinceMs, seenMs } = process;
      const registers = registersIn(reading).filter(({ holder }) => holder === id).length;
      return { id, url, version, sinceMs, seenMs, state: stateOf(process, reading.nowMs), registers };
    });
  }

  /** Returns the registers with the number of their waiting operations. `holder`: only the registers of this process. */
  async registers(holder?: string): Promise<RegisterShown[]> {
    const [reading, queued] = await Promise.all([this.#read(), this.#store.read((db) => countQueued(db))]);
    const waiting = new Map(queued.map(({ register, count }) => [register, count]));
    return registersIn(reading)
      .filter((row) => holder === undefined || row.holder === holder)
      .map((row) => ({ ...row, waiting: waiting.get(row.register) ?? 0 }));
  }

  /** Returns the processes with the id, id prefix or address `text`. An address means the newest start of its process. */
  async named(text: string): Promise<ProcessShown[]> {
    const processes = await this.processes();
    const exact = processes.findLast(({ id, url }) => id === text || url === text);
    return exact === undefined ? processes.filter(({ id }) => id.startsWith(text)) : [exact];
  }

  /** Moves a register to a process and waits until the process has it. */
  async move(register: string, process: ProcessShown): Promise<Moved> {
    if (process.state !== "serving") return { kind: "not-open", state: process.state };
    const name = registerLease(register);
    const reading = await this.#read();
    if (!reading.leases.some((row) => row.name === name)) return { kind: "unknown-register" };
    const at = agentPlaceOf(register, { agents: placesOfAgents(reading) });
    if (at !== undefined && at !== process.id) return { kind: "at-agent", process: at };
    await this.#store.commit((tx) => wantLease(tx, name, process.id));
    const deadline = deadlineIn(this.#clock, MOVE_LIMIT_MS);
    do {
      const found = (await this.registers(process.id)).find((one) => one.register === register);
      if (found !== undefined) return { kind: "moved", register: found };
      await pause(this.#clock, LOOK_MS);
    } while (deadline.remainingMs() > 0);
    return { kind: "late" };
  }

  /**
   * Moves the registers of a process to other processes and waits. Agents must connect again for this, and may come back to the same
   * process. Returns the number of registers that stayed, and how many of these have their agent at this process.
   */
  async drain({ id }: ProcessShown): Promise<{ left: number; ofAgents: number }> {
    await this.#store.commit((tx) => setDraining(tx, id));
    return await this.#left(id, deadlineIn(this.#clock, MOVE_LIMIT_MS), deadlineIn(this.#clock, AGENTS_LIMIT_MS));
  }

  async #left(id: string, all: Deadline, agents: Deadline): Promise<{ left: number; ofAgents: number }> {
    for (;;) {
      const reading = await this.#read();
      const held = registersIn(reading).filter(({ holder }) => holder === id);
      const left = held.length;
      const ofAgents = held.filter(({ register }) => agentPlaceOf(register, reading) === id).length;
      const isOver = (left === ofAgents && agents.remainingMs() === 0) || all.remainingMs() === 0;
      if (left === 0 || isOver) return { left, ofAgents };
      await pause(this.#clock, LOOK_MS);
    }
  }

  #read(): Promise<Reading> {
    return this.#store.read((db) => readCluster(db));
  }
}

function registersIn({ leases }: Reading): Omit<RegisterShown, "waiting">[] {
  return leases
    .filter(({ name }) => name.startsWith(REGISTER_LEASES))
    .map(({ name, holder, token, sinceMs }) => ({
      register: name.slice(REGISTER_LEASES.length),
      token,
      ...(holder === "" ? {} : { holder }),
      ...(sinceMs === null ? {} : { sinceMs }),
    }));
}

/** Both times come from the database's clock, so they can be compared. */
function stateOf({ state, seenMs, leaseMs }: ProcessRow, nowMs: number): ProcessRow["state"] {
  return nowMs - seenMs > leaseMs * SHOWN_LOST_LEASES ? "lost" : state;
}
