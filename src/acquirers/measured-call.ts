import type { AcquirerCall, AcquirerServices, CallOutcome } from "./acquirer.ts";

/** The outcomes of results that are no success. Every other kind of result is `ok`. */
const OUTCOMES: Readonly<Record<string, CallOutcome>> = { refused: "refused", busy: "busy", unknown: "unknown" };

/** Does a call's work, and counts the call with its outcome and duration. A call that throws is not counted. */
export async function measuredCall<Result extends { kind: string; unreadable?: true }>(
  services: Pick<AcquirerServices, "clock" | "observe">,
  call: AcquirerCall,
  work: () => Promise<Result>,
): Promise<Result> {
  const startMs = services.clock.monotonicMs();
  const result = await work();
  const outcome = result.unreadable === true ? "unreadable" : (OUTCOMES[result.kind] ?? "ok");
  services.observe(call, outcome, services.clock.monotonicMs() - startMs);
  return result;
}
