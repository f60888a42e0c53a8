import { messageOf } from "../../../kernel/failure.ts";
import type { Log } from "../../../kernel/log.ts";
import type { Account } from "../account/account.ts";
import { refused } from "../call/refusal.ts";
import type { Json } from "../values/json.ts";
import type { Reference } from "../values/stored.ts";

/** The maximum number of waiting and running tasks of an account (json-api 6.6). */
const MAX_QUEUED = 4;
/** The wait before a task runs. It forces clients to ask for the status more than once. */
const TURN_MS = 200;
/** How long a result is kept (json-api 6.6). */
const RESULT_MS = 3_600_000;
/** How long a task stays in the list (json-api 6.6). */
const LISTED_MS = 7 * 86_400_000;

type TaskState = "PENDING" | "PROCESSING" | "DONE" | "ERROR" | "CANCEL" | "API_ERROR";

export interface AsyncTask {
  readonly id: string;
  readonly owner: Reference;
  /** The URL that the task reads. */
  readonly request: string;
  readonly startedMs: number;
  state: TaskState;
  /** The moment when the result is deleted. Undefined: the read has not ended, or the task was cancelled. */
  deletionMs: number | undefined;
  outcome: { readonly status: number; readonly body: Json } | undefined;
}

/**
 * A witness gets CREATE when a task is queued, UPDATE when the task's state changes, and PROCESSED when its read ends. There is no
 * PROCESSED for a cancelled task.
 */
type TaskWitness = (task: AsyncTask, action: "CREATE" | "UPDATE" | "PROCESSED") => void;

/** Asynchronous reads. They are in memory, so a restart loses them. */
export class AsyncTasks {
  readonly #account: Account;
  readonly #tasks = new Map<string, AsyncTask>();
  readonly #cancels = new Map<string, () => void>();

  readonly #log: Pick<Log, "error">;
  readonly #told: TaskWitness;

  constructor(account: Account, log: Pick<Log, "error">, told: TaskWitness = () => {}) {
    this.#account = account;
    this.#log = log;
    this.#told = told;
  }

  /** Queues a read, which then runs by itself. Throws 61002 if four tasks are waiting or running. */
  start(request: string, owner: Reference, run: () => Promise<{ status: number; body: Json }>): AsyncTask {
    this.#forget();
    const queued = [...this.#tasks.values()].filter(({ state }) => state === "PENDING" || state === "PROCESSING");
    if (queued.length >= MAX_QUEUED) throw refused(61002);
    const { clock } = this.#account;
    const task: AsyncTask = {
      id: this.#account.passingId(),
      owner,
      request,
      startedMs: clock.nowMs(),
      state: "PENDING",
      deletionMs: undefined,
      outcome: undefined,
    };
    this.#tasks.set(task.id, task);
    this.#told(task, "CREATE");
    this.#cancels.set(
      task.id,
      clock.after(TURN_MS, () => void this.#run(task, run)),
    );
    return task;
  }

  /** Removes tasks after a week and results after an hour. */
  #forget(): void {
    const nowMs = this.#account.clock.nowMs();
    for (const task of this.#tasks.values()) {
      if (task.startedMs < nowMs - LISTED_MS) this.#tasks.delete(task.id);
      else if (task.deletionMs !== undefined && task.deletionMs < nowMs) task.outcome = undefined;
    }
  }

  /** Returns the tasks of the last week, newest first. */
  list(): readonly AsyncTask[] {
    const from = this.#account.clock.nowMs() - LISTED_MS;
    return [...this.#tasks.values()].filter(({ startedMs }) => startedMs >= from).reverse();
  }

  /** Returns the task. Throws 61008 if it is unknown. */
  get(id: string): AsyncTask {
    const task = this.#tasks.get(id);
    if (task === undefined) throw refused(61008);
    return task;
  }

  /**
   * Returns the result, or the refusal of the read. Throws 61008 for an unknown task, 61003 if the result has expired, 61004 if the read
   * failed inside the sandbox, 61005 if the task was cancelled, 61006 if there is no result yet.
   */
  result(id: string): { readonly status: number; readonly body: Json } {
    const task = this.get(id);
    if (task.state === "PENDING" || task.state === "PROCESSING") throw refused(61006);
    if (task.state === "CANCEL") throw refused(61005);
    if (task.state === "ERROR") throw refused(61004);
    if (task.outcome === undefined || (task.deletionMs ?? 0) < this.#account.clock.nowMs()) throw refused(61003);
    return task.outcome;
  }

  /** Cancels the task. Throws 61008 for an unknown task, 61007 for a task that has ended. */
  cancel(id: string): void {
    const task = this.get(id);
    if (task.state !== "PENDING" && task.state !== "PROCESSING") throw refused(61007);
    this.#cancels.get(id)?.();
    task.state = "CANCEL";
    this.#told(task, "UPDATE");
  }

  close(): void {
    for (const cancel of this.#cancels.values()) cancel();
  }

  async #run(task: AsyncTask, run: () => Promise<{ status: number; body: Json }>): Promise<void> {
    this.#cancels.delete(task.id);
    task.state = "PROCESSING";
    this.#told(task, "UPDATE");
    const outcome = await run().catch((error: unknown) => {
      this.#log.error({ task: task.id, request: task.request, error: messageOf(error) }, "an asynchronous read failed inside the sandbox");
      return undefined;
    });
    if (task.state !== "PROCESSING") return;
    task.outcome = outcome;
    task.deletionMs = this.#account.clock.nowMs() + RESULT_MS;
    task.state = outcome === undefined ? "ERROR" : outcome.status < 400 ? "DONE" : "API_ERROR";
    this.#told(task, "UPDATE");
    this.#told(task, "PROCESSED");
  }
}
