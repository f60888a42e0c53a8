import { type Clock, pause } from "../kernel/clock.ts";
import type { PlatformApi } from "./api/api.ts";
import { errorsIn, PlatformFailure } from "./api/failure.ts";
import { objectIn } from "./page.ts";
import type { Bounds } from "./query/query.ts";
import { idOf } from "./reference.ts";

/** Pauses between polls of the task. A poll uses little of the rate limit. */
const POLL_MS = [500, 1_000, 2_000, 5_000] as const;
/** The platform keeps a result for an hour (json-api 6.6). A longer task is cancelled. */
const MAX_WAIT_MS = 3_600_000;

/** An asynchronous reading (json-api 6.6). */
interface LaterTask {
  readonly id: string;
  readonly state: "PENDING" | "PROCESSING" | "DONE" | "ERROR" | "CANCEL" | "API_ERROR" | (string & {});
  readonly resultUrl?: string | null;
  readonly deletionDate?: string | null;
}

/**
 * Starts an asynchronous reading, waits for its end and reads its result. The platform queues at most four readings (error 61002). Cancels
 * the task at the platform when the caller gives up, a poll fails, or `MAX_WAIT_MS` passes. An asynchronous reading has neither limit nor
 * offset.
 */
export async function readLater(
  api: PlatformApi,
  clock: Clock,
  call: { readonly path: string; readonly query?: Readonly<Record<string, string | undefined>>; readonly weightClass?: "plain" | "report" },
  bounds: Bounds = {},
): Promise<unknown> {
  const { signal, ...unsignalled } = bounds;
  if (signal?.aborted === true) throw givenUp(call.path, signal);
  // The starting call is never aborted: without its answer the task could not be cancelled.
  const begun = await api.call({ method: "GET", ...call, query: { ...call.query, async: "true" }, ...unsignalled });
  const status = begun.headers["content-location"];
  const result = begun.headers.location;
  if (begun.status !== 202 || status === undefined || result === undefined)
    throw new PlatformFailure("unavailable", `${call.path} did not become an asynchronous reading`, { status: begun.status });
  const task = await endOf(api, clock, { path: call.path, status }, bounds).catch(async (error: unknown) => {
    await cancelLater(api, status);
    throw error;
  });
  // After API_ERROR too: the address of the result then returns why the reading was refused.
  if (task.state === "DONE" || task.state === "API_ERROR")
    return (await api.call({ method: "GET", path: result, redirects: { kind: "file" }, ...bounds })).body;
  throw new PlatformFailure("unavailable", `${call.path}: the reading ended as ${task.state}`, { errors: errorsIn(task) ?? [] });
}

/** Waits for the task's end. Throws when the caller gives up or the task takes too long. */
async function endOf(api: PlatformApi, clock: Clock, of: { path: string; status: string }, bounds: Bounds): Promise<LaterTask> {
  const deadlineMs = clock.monotonicMs() + MAX_WAIT_MS;
  for (let poll = 0; ; poll += 1) {
    if (bounds.signal?.aborted === true || clock.monotonicMs() >= deadlineMs) throw givenUp(of.path, bounds.signal);
    const task = objectIn<LaterTask>((await api.call({ method: "GET", path: of.status, ...bounds })).body, of.status);
    if (task.state !== "PENDING" && task.state !== "PROCESSING") return task;
    await pause(clock, POLL_MS[Math.min(poll, POLL_MS.length - 1)] ?? 0, bounds.signal);
  }
}

function givenUp(path: string, signal: AbortSignal | undefined): PlatformFailure {
  return new PlatformFailure("cancelled", `${path}: the reading was given up`, { cause: signal?.reason });
}

/**
 * Cancels the task. A finished task cannot be cancelled (error 61007) and has left the queue. A failure to cancel is not reported: the
 * caller gets the reason why the reading ended.
 */
async function cancelLater(api: PlatformApi, status: string): Promise<void> {
  try {
    await api.call({ method: "PUT", path: `async/${idOf(status)}/cancel` });
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
  }
}
