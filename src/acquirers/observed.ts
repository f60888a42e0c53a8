import type { AcquirerCall, AcquirerServices, CallOutcome } from "./acquirer.ts";

/** Kinds of results that say how a call went; all others went well. */
const OUTCOMES: Readonly<Record<string, CallOutcome>> = { refused: "refused", busy: "busy", unknown: "unknown" };

/** Does the work of a call and counts it with its outcome and duration. */
export async function observed<Result extends { kind: string }>(
  services: Pick<AcquirerServices, "clock" | "observe">,
  call: AcquirerCall,
  work: () => Promise<Result>,
): Promise<Result> {
  const startMs = services.clock.monotonicMs();
  const result = await work();
  services.observe(call, OUTCOMES[result.kind] ?? "ok", services.clock.monotonicMs() - startMs);
  return result;
}
