import type { Chance, Clock } from "../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../kernel/deadline.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import type { Store } from "../store/database.ts";
import { Leases } from "../store/lease.ts";
import type { CallKeys } from "./call-proof.ts";
import { type CallResult, Calls } from "./calls.ts";
import { DeviceOwners } from "./device-owners.ts";
import { Fence } from "./fence.ts";
import { type Forwarded, Forwarding, NOT_HERE } from "./forwarding.ts";
import { type HoldingServices, Holdings } from "./holdings.ts";
import type { CallAnswer, CallHandler } from "./inbound.ts";
import { Membership } from "./membership.ts";
import type { Reading } from "./queries.ts";
import type { ClusterObserver } from "./services.ts";
import { Tasks } from "./tasks.ts";

interface ClusterServices extends Pick<HoldingServices, "idle" | "release" | "preferred"> {
  /** Releases a device, unless an address of this process has used it shortly before. */
  letGo(device: string): Promise<void>;
  /** Called with each reading of the cluster's state. The function starts work and does not wait for its end. */
  alsoRead?(reading: Reading): void;
  store: Pick<Store, "commit" | "read">;
  clock: Clock;
  chance: Chance;
  log: Log;
  keys: CallKeys;
  leaseMs: number;
  url: string;
  version: string;
  /** The number (`pid`) of the PostgreSQL backend process that holds the schema lock for this process. */
  sessionPid: number;
  observe: ClusterObserver;
}

/** The path at which a process answers with its id. */
const HELLO_PATH = "/internal/hello";
/** The path at which a holder is asked to give a register away. */
const GIVE_PATH = "/internal/give";
/** How long a person's question waits for this process to get the register. */
const PULL_LIMIT_MS = 9_000;

/** This process as one of several that share a database. */
export class Cluster {
  readonly #services: ClusterServices;
  readonly #calls: Calls;
  readonly #forwarding: Forwarding;
  readonly membership: Membership;
  readonly holdings: Holdings;
  readonly fence: Fence;
  readonly tasks: Tasks;
  readonly devices: DeviceOwners;

  constructor(services: ClusterServices) {
    this.#services = services;
    const { store, clock, chance, log, keys, leaseMs, observe, url, version, sessionPid } = services;
    const self = { id: chance.uuid(), url, version, keyCheck: keys.check, sessionPid };
    const membership = new Membership({ store, clock, log, leaseMs, self, observe });
    const leasesOf = (kind: string) => new Leases({ store, clock, chance, leaseMs, keeper: membership.keeperOf(kind) });
    this.membership = membership;
    const alsoRead = (reading: Reading) => {
      this.#letGo(reading);
      services.alsoRead?.(reading);
    };
    this.holdings = new Holdings({ ...services, membership, leases: leasesOf("register"), alsoRead });
    this.fence = new Fence({ store, membership, holdings: this.holdings, observe });
    this.tasks = new Tasks(membership, leasesOf("task"));
    this.devices = new DeviceOwners(store, membership, leasesOf("device"));
    this.#calls = new Calls({ keys, clock, self: self.id });
    this.#forwarding = new Forwarding({ membership, holdings: this.holdings, calls: this.#calls, clock, log, observe });
  }

  /** The calls that every process answers, by path. */
  get handlers(): Readonly<Record<string, CallHandler>> {
    return {
      [HELLO_PATH]: async () => ({ outcome: this.membership.id, body: EMPTY }),
      [GIVE_PATH]: (body) => this.#give(body.toString("utf8")),
    };
  }

  /** Throws a `Failure` with a message of one line unless CLUSTER_URL leads to this process. */
  async mustBeReachable(): Promise<void> {
    const { url, clock } = this.#services;
    const deadline = deadlineIn(clock, HELLO_LIMIT_MS);
    const answer = await this.#calls.post({ id: this.membership.id, url }, HELLO_PATH, EMPTY, { deadline });
    if (answer.kind === "answer" && answer.outcome === this.membership.id) return;
    const found = answer.kind === "no-answer" ? answer.why : "another process answers";
    throw new Failure("configuration", "caller", `CLUSTER_URL expects an address that leads to this process; at ${url}: ${found}`);
  }

  /** Does what `Forwarding.forward` does. */
  forward(register: string, call: { path: string; body: Buffer }, deadline: Deadline): Promise<Forwarded> {
    return this.#forwarding.forward(register, call, deadline);
  }

  /**
   * Moves the register to this process for a person's question. The current holder gives the register away after the running work. False:
   * this process did not get the register. For example, the register has a preferred process, the holder kept it, or another process was
   * faster.
   */
  async pull(register: string): Promise<boolean> {
    if (await this.holdings.enter(register)) return true;
    const place = this.holdings.place(register);
    // If the register has a preferred process, that process would take the register back immediately. So this process does not ask for the
    // register.
    if (place.kind !== "there" || this.#services.preferred?.(register, this.membership.reading) !== undefined) return false;
    const deadline = deadlineIn(this.#services.clock, PULL_LIMIT_MS);
    await this.#calls.post(place.process, GIVE_PATH, Buffer.from(register, "utf8"), { deadline });
    await this.membership.readAnew();
    return await this.holdings.enter(register);
  }

  /** Whether the work at the register is done at another process, because the register's agent is connected to that process. */
  isKeptElsewhere(register: string): boolean {
    const { membership, holdings } = this;
    const at = this.#services.preferred?.(register, membership.reading);
    if (at === undefined || at === membership.id || holdings.until(register) !== undefined) return false;
    return holdings.place(register).kind === "there";
  }

  /** Sends a question to the register's holder. Never rejects. */
  async askHolder(register: string, { path, body }: { path: string; body: Buffer }, deadline: Deadline): Promise<CallResult> {
    const place = this.holdings.place(register);
    if (place.kind !== "there") return { kind: "no-answer", why: "the register has moved" };
    return await this.#calls.post(place.process, path, body, { deadline });
  }

  /** Whether this process does the work of this name now. False also when this cannot be found out. Never rejects. */
  async doesNow(work: string): Promise<boolean> {
    try {
      return await this.tasks.isMine(work);
    } catch (error) {
      this.#services.log.error({ work, error: messageOf(error) }, "it could not be found out which process does the work");
      return false;
    }
  }

  /** Asks all other processes that are not lost. Throws a `Failure` when one does not answer. */
  async askAll(path: string): Promise<Buffer[]> {
    return (await this.#ask(path, ASK_LIMIT_MS)).map((answer) => {
      if (answer.kind === "answer") return answer.body;
      throw new Failure("cluster-no-answer", "dependency", `a process of the cluster does not answer: ${answer.why}`, { retrySafe: true });
    });
  }

  /** Asks all other processes that are not lost. Omits those that do not answer in time. Never rejects. */
  async askSome(path: string, limitMs: number, body: Buffer = EMPTY): Promise<Buffer[]> {
    return (await this.#ask(path, limitMs, body)).flatMap((answer) => (answer.kind === "answer" ? [answer.body] : []));
  }

  /**
   * Marks this process as leaving. The process gives away the work that is done once in the cluster, and takes no such work any more. At
   * one of the next readings, registers begin to move, each after its running work, to other processes that serve and are not drained.
   * Without such a process the registers stay. False: the database could not be written or read, so the other processes may not know that
   * this process leaves. They notice its end later, at the latest by the unchanged counter. Never throws, because running work must end in
   * any case.
   */
  async leave(): Promise<boolean> {
    try {
      await this.membership.leave();
      await this.tasks.giveAway();
      return true;
    } catch (error) {
      this.#services.log.warn({ error: messageOf(error) }, "the cluster could not be told that the process leaves");
      return false;
    }
  }

  /** Gives the registers away and removes this process from the cluster. Call it after the last work at registers. */
  async close(): Promise<void> {
    await this.holdings.close();
    await this.#calls.close();
    await this.membership.close();
  }

  #ask(path: string, limitMs: number, body: Buffer = EMPTY): Promise<CallResult[]> {
    const { processes } = this.membership.reading;
    const others = processes.filter(({ id, state }) => id !== this.membership.id && state !== "lost");
    const deadline = deadlineIn(this.#services.clock, limitMs);
    return Promise.all(others.map((other) => this.#calls.post(other, path, body, { deadline })));
  }

  #letGo(reading: Reading): void {
    const { letGo, log } = this.#services;
    for (const device of this.devices.wantedElsewhere(reading)) {
      letGo(device).catch((error: unknown) => log.error({ device, error: messageOf(error) }, "a device could not be let go"));
    }
  }

  async #give(register: string): Promise<CallAnswer> {
    const isHeld = this.holdings.until(register) !== undefined;
    if (isHeld) await this.holdings.giveAway(register);
    return { outcome: isHeld ? "given" : NOT_HERE, body: EMPTY };
  }
}

const HELLO_LIMIT_MS = 3_000;
const ASK_LIMIT_MS = 5_000;
const EMPTY = Buffer.from("{}");
