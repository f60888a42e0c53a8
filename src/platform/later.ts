import { type Clock, pause } from "../kernel/clock.ts";
import type { PlatformApi } from "./api/api.ts";
import { errorsIn, PlatformFailure } from "./api/failure.ts";
import { objectIn } from "./page.ts";
import type { Bounds } from "./query/query.ts";
import { idOf, type Target } from "./reference.ts";

/** Pauses between questions for the state of the task. They cost only a fraction of the rate. */
const POLL_MS = [500, 1_000, 2_000, 5_000] as const;
/** The platform keeps a result for an hour (json-api 6.6). A task that runs longer is given up. */
const MAX_WAIT_MS = 3_600_000;

/** An asynchronous reading (json-api 6.6). */
interface LaterTask {
  readonly id: string;
  readonly state: "PENDING" | "PROCESSING" | "DONE" | "ERROR" | "CANCEL" | "API_ERROR" | (string & {});
  readonly resultUrl?: string | null;
  readonly deletionDate?: string | null;
}

/**
 * Starts an asynchronous reading, waits until it is done and reads its result. The platform keeps at most four readings
 * in its queue (61002). When the caller gives up between two polls, or after `MAX_WAIT_MS`, the task is cancelled at
 * the platform too. Such a reading has no limit and no offset.
 */
export async function readLater(
  api: PlatformApi,
  clock: Clock,
  call: { readonly path: string; readonly query?: Readonly<Record<string, string | undefined>>; readonly weightClass?: "plain" | "report" },
  bounds: Bounds = {},
): Promise<unknown> {
  const begun = await api.call({ method: "GET", ...call, query: { ...call.query, async: "true" }, ...bounds });
  const status = begun.headers["content-location"];
  const result = begun.headers.location;
  if (begun.status !== 202 || status === undefined || result === undefined)
    throw new PlatformFailure("unavailable", `${call.path} did not become an asynchronous reading`, { status: begun.status });
  const deadlineMs = clock.monotonicMs() + MAX_WAIT_MS;
  for (let poll = 0; ; poll += 1) {
    const task = objectIn<LaterTask>((await api.call({ method: "GET", path: status, ...bounds })).body, status);
    // API_ERROR: the address of the result gives the refusal of the reading itself.
    if (task.state === "DONE" || task.state === "API_ERROR")
      return (await api.call({ method: "GET", path: result, redirects: { kind: "file" }, ...bounds })).body;
    if (task.state !== "PENDING" && task.state !== "PROCESSING")
      throw new PlatformFailure("unavailable", `${call.path}: the reading ended as ${task.state}`, { errors: errorsIn(task) ?? [] });
    await pause(clock, POLL_MS[Math.min(poll, POLL_MS.length - 1)] ?? 0, bounds.signal);
    if (bounds.signal?.aborted !== true && clock.monotonicMs() < deadlineMs) continue;
    await cancelLater(api, task.id);
    throw new PlatformFailure("cancelled", `${call.path}: the reading was given up`, { cause: bounds.signal?.reason });
  }
}

/** A task that is done cannot be cancelled (61007). */
async function cancelLater(api: PlatformApi, task: Target): Promise<void> {
  const id = typeof task === "string" && !task.includes("/") ? task : idOf(task);
  await api.call({ method: "PUT", path: `async/${id}/cancel` });
}
