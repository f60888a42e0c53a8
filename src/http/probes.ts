import { Router } from "express";
import type { Clock } from "../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { setRoute } from "./access-log.ts";
import { answerJson, answerText } from "./answer.ts";
import { logOf } from "./request-context.ts";

/** Something without which no request can be served: it resolves when all is well and rejects with the reason. */
export interface ReadyCheck {
  /** `database`, `migrations`. */
  name: string;
  check(): Promise<void>;
}

/** A database that answers later than this would not let an operation finish in time either. */
const CHECK_LIMIT_MS = 2_000;

/** `/health`: the process turns; `/ready`: what it depends on answers; `/metrics`: numbers for Prometheus. */
export function probeRouter(options: {
  clock: Clock;
  checks: readonly ReadyCheck[];
  metrics: { contentType: string; text(): Promise<string> };
}): Router {
  const router = Router({ caseSensitive: true });
  router.get("/health", (_request, response) => {
    setRoute(response, "GET /health");
    answerJson(response, 200, { status: "ok" });
  });
  router.get("/ready", async (_request, response) => {
    setRoute(response, "GET /ready");
    const problems = await Promise.all(options.checks.map((check) => problemOf(check, options.clock)));
    const checks: Record<string, string> = {};
    options.checks.forEach(({ name }, index) => {
      const problem = problems[index];
      checks[name] = problem === undefined ? "ok" : "failed";
      // The reason may name hosts and users: it goes to the log, and the caller learns the check's name.
      if (problem !== undefined) logOf(response).warn({ check: name, problem }, "not ready");
    });
    const ready = problems.every((problem) => problem === undefined);
    answerJson(response, ready ? 200 : 503, { status: ready ? "ready" : "not ready", checks });
  });
  router.get("/metrics", async (_request, response) => {
    setRoute(response, "GET /metrics");
    answerText(response, 200, options.metrics.contentType, await options.metrics.text());
  });
  return router;
}

async function problemOf({ check }: ReadyCheck, clock: Clock): Promise<string | undefined> {
  try {
    const result = await waitUntil(clock, deadlineIn(clock, CHECK_LIMIT_MS), check());
    return result.kind === "finished" ? undefined : `no answer within ${CHECK_LIMIT_MS} ms`;
  } catch (error) {
    return messageOf(error);
  }
}
