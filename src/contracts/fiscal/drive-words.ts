import type { Refusal } from "../../model/refusal.ts";
import type { DriveProblem } from "../../model/unreachable.ts";

/**
 * The reason in the details of a refusal: why the register does not return documents of its drive (`problem`), or words of the driver
 * (`reason`). Undefined when the details state neither.
 */
export function driveWords({ code, details }: { code: Refusal["code"]; details?: Refusal["details"] | undefined }): string | undefined {
  if (code !== "register-unreachable" || details?.problem === undefined) return details?.reason;
  return WORDS[details.problem as DriveProblem](details);
}

const WORDS: Record<DriveProblem, (details: Record<string, string>) => string> = {
  "document-not-given": ({ number }) => `Касса не отдаёт документ № ${number}`,
  "closing-not-given": () => "Касса не отдаёт отчёт о закрытии смены",
  "documents-to-read": ({ left }) => `Читаются документы кассы, которых нет в журнале, осталось: ${left}`,
};
