/**
 * The largest number of operations of one account that wait for one register. A till sends one at a time, and a register takes a second or
 * two. If more operations come, the register hangs, so the cashier is refused immediately.
 */
const MAX_WAITING = 32;
/** The largest number of operations of all accounts that wait for one register. A register hardly ever has more than two accounts. */
const MAX_WAITING_IN_ALL = 8 * MAX_WAITING;
/**
 * While at most this many operations wait, the order of arrival decides, whatever the accounts are. With more waiting operations the
 * accounts take turns. Then an account with very many operations, even if all are refused, does not hold back other accounts.
 */
const FEW = 8;
/** The account of turns by the server itself, or by a person. */
const NOBODY = "";

interface Waiting {
  account: string;
  work(): Promise<void>;
}

interface Lane {
  /** In the order of arrival. */
  waiting: Waiting[];
  /** The accounts that had turns, in the order of their last turns. The newest comes last. */
  served: string[];
  running: Promise<void>;
}

/** A place in a lane. `ahead`: the operations that were in the lane before, with the running operation. */
export type Place<T> = { kind: "taken"; ahead: number; result: Promise<T> } | { kind: "full" };

/**
 * One lane for each register. Its turns run one at a time, those of one account in the order of arrival. Lanes are independent. Unlike
 * `PerKeyWork`, no two callers share a result.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #stopping = new AbortController();

  /** Takes a place before anything is awaited, so operations arrive in the order of the calls. `account`: the operation's account. */
  enter<T>(register: string, turn: () => Promise<T>, account = NOBODY): Place<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const work = () => turn().then(resolve, reject);
    const lane = this.#lanes.get(register);
    if (lane === undefined) {
      this.#start(register, { account, work });
      return { kind: "taken", ahead: 0, result: promise };
    }
    const ownWaiting = lane.waiting.filter((one) => one.account === account).length;
    if (ownWaiting >= MAX_WAITING || lane.waiting.length >= MAX_WAITING_IN_ALL) return { kind: "full" };
    lane.waiting.push({ account, work });
    return { kind: "taken", ahead: lane.waiting.length, result: promise };
  }

  /** Aborted when the server stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborts `stopping`. Turns then read no further documents of drives. The sending of a document is not interrupted. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Whether an operation runs in this register's lane. */
  isBusy(register: string): boolean {
    return this.#lanes.has(register);
  }

  /** Returns the busy registers, with the number of operations that wait for each. */
  depths(): { register: string; waiting: number }[] {
    return [...this.#lanes].map(([register, lane]) => ({ register, waiting: lane.waiting.length }));
  }

  /** Resolves when this register's lane has no work left. */
  async idleAt(register: string): Promise<void> {
    for (let lane = this.#lanes.get(register); lane !== undefined; lane = this.#lanes.get(register)) await lane.running;
  }

  /** Resolves when no lane has work left. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all([...this.#lanes.values()].map((lane) => lane.running));
  }

  #start(register: string, first: Waiting): void {
    const lane: Lane = { waiting: [], served: [], running: Promise.resolve() };
    const drain = async () => {
      for (let next: Waiting | undefined = first; next !== undefined; next = takeNext(lane)) {
        await next.work();
        const { account } = next;
        lane.served = [...lane.served.filter((other) => other !== account), account].slice(-MAX_WAITING_IN_ALL);
      }
      this.#lanes.delete(register);
    };
    this.#lanes.set(register, lane);
    lane.running = drain();
  }
}

/** Takes the next operation out of the lane. Among the operations of one account it is always the first that arrived. */
function takeNext({ waiting, served }: Lane): Waiting | undefined {
  if (waiting.length <= FEW) return waiting.shift();
  const lastTurn = ({ account }: Waiting) => served.indexOf(account);
  const longestUnserved = Math.min(...waiting.map(lastTurn));
  const [next] = waiting.splice(
    waiting.findIndex((one) => lastTurn(one) === longestUnserved),
    1,
  );
  return next;
}
