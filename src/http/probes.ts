import { Router } from "express";
import type { Clock } from "../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { present } from "../kernel/present.ts";
import { setRoute } from "./access-log.ts";
import { answerBytes, answerJson } from "./answer.ts";
import { Paced } from "./paced.ts";
import { logOf } from "./request-context.ts";
import { unprovedRequestOf } from "./unproved-request.ts";

/** A check of something that every request needs. `check` resolves when this works, otherwise rejects with the reason. */
export interface ReadyCheck {
  /** For example `database` or `writing`. */
  name: string;
  check(): Promise<void>;
  /** Returns the reason of a rejection in words for the caller, who may be anybody. Undefined: only the check's name is shown. */
  reasonFor?(thrown: unknown): string | undefined;
}

/** The time limit of one check. If the database takes longer, an operation could not finish in time either. */
const CHECK_LIMIT_MS = 2_000;

/**
 * The exact address of a probe. A proxy that hides probes compares whole paths, so another spelling, such as `//metrics` or `/metrics/`,
 * must not reach the probes.
 */
const PROBE = /^(?:[a-z]+:\/\/[^/?]*)?\/(?:health|ready|metrics)(?:\?|$)/i;

/** `/health`: the process runs. `/ready`: all checks succeed and the process is not leaving. `/metrics`: numbers for Prometheus. */
export function probeRouter(options: {
  clock: Clock;
  checks: readonly ReadyCheck[];
  metrics: { contentType: string; text(): Promise<string> };
  /** True when the process was asked to stop and still serves. */
  isLeaving?(): boolean;
}): Router {
  const { clock, checks, metrics, isLeaving = () => false } = options;
  const router = Router({ caseSensitive: true, strict: true });
  const found = new Paced(clock, () => Promise.all(checks.map((check) => resultOf(check, clock))));
  const numbers = new Paced(clock, async () => Buffer.from(await metrics.text()));
  router.use((request, _response, next) => next(PROBE.test(request.originalUrl) ? undefined : "router"));
  router.get("/health", (_request, response) => {
    setRoute(response, "GET /health");
    answerJson(response, 200, { status: "ok" });
  });
  router.get("/ready", async (_request, response) => {
    setRoute(response, "GET /ready");
    unprovedRequestOf(response)?.setAside();
    if (isLeaving()) {
      answerJson(response, 503, { leaving: true });
      return;
    }
    const results = await found.get();
    for (const { name, problem } of results) {
      // `problem` may contain host and user names, so it goes only to the log.
      if (problem !== undefined) logOf(response).warn({ check: name, problem }, "not ready");
    }
    const ready = results.every(({ problem }) => problem === undefined);
    const each = Object.fromEntries(results.map(({ name, problem }) => [name, problem === undefined ? "ok" : "failed"]));
    const reasons = results.flatMap(({ name, reason }) => (reason === undefined ? [] : [[name, reason]]));
    const why = reasons.length === 0 ? {} : { reasons: Object.fromEntries(reasons) };
    answerJson(response, ready ? 200 : 503, { status: ready ? "ready" : "not ready", checks: each, ...why });
  });
  router.get("/metrics", async (_request, response) => {
    setRoute(response, "GET /metrics");
    unprovedRequestOf(response)?.setAside();
    answerBytes(response, 200, metrics.contentType, await numbers.get());
  });
  return router;
}

interface Result {
  name: string;
  /** The reason for the log. Absent: all is well. */
  problem?: string;
  reason?: string;
}

async function resultOf({ name, check, reasonFor }: ReadyCheck, clock: Clock): Promise<Result> {
  try {
    const result = await waitUntil(clock, deadlineIn(clock, CHECK_LIMIT_MS), check());
    if (result.kind === "finished") return { name };
    const late = `no answer within ${CHECK_LIMIT_MS} ms`;
    return { name, problem: late, reason: late };
  } catch (error) {
    const reason = reasonFor?.(error);
    return { name, problem: messageOf(error), ...present({ reason }) };
  }
}
