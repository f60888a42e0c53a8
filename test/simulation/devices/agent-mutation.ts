import type { AttemptRecord, StoredAttempt } from "../../../src/agent/record.ts";
import type { AgentService } from "../../../src/agent/service/service.ts";

/** Safeguards of a shop's agent that a test switches off, one at a time. */
export const AGENT_MUTATIONS = [
  /** The record does not report an attempt whose outcome is unknown. */
  "intent-is-never",
  /** The agent registers without the server's permission. */
  "go-not-awaited",
] as const;

export type AgentMutation = (typeof AGENT_MUTATIONS)[number];

/** The unchanged record, or one that does not know which attempts it has begun. */
export function mutatedRecord(mutation: string | undefined, record: AttemptRecord): AttemptRecord {
  if (mutation !== "intent-is-never") return record;
  const ended = (found: StoredAttempt | undefined) => (found?.state === "intent" ? undefined : found);
  const forgetful = changed(record, "find", (attempt) => ended(record.find(attempt)));
  return changed(forgetful, "forbid", (attempt, register) => ended(record.forbid(attempt, register)));
}

/** The unchanged service, or one that permits every document without the server. */
export function mutatedService(mutation: string | undefined, service: AgentService): AgentService {
  if (mutation !== "go-not-awaited") return service;
  return changed(service, "call", (...[call, deadline, steps]: Parameters<AgentService["call"]>) =>
    service.call(call, deadline, { ...steps, go: async () => true }),
  );
}

/** The object with one method replaced. */
function changed<T extends object, Name extends keyof T>(object: T, name: Name, method: T[Name]): T {
  return new Proxy(object, {
    get(target, wanted) {
      if (wanted === name) return method;
      const value: unknown = Reflect.get(target, wanted, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
