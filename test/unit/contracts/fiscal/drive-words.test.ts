import { describe, expect, it } from "vitest";
import { refusalWords } from "../../../../src/cli/journal/words/refusal-words.ts";
import { errorOf } from "../../../../src/contracts/fiscal/failures.ts";
import { type DriveProblem, driveUnread, unreachable } from "../../../../src/model/unreachable.ts";

const PROBLEMS: Record<DriveProblem, readonly [details: Record<string, string>, words: string]> = {
  "document-not-given": [{ number: "42" }, "Касса не отдаёт документ № 42"],
  "closing-not-given": [{}, "Касса не отдаёт отчёт о закрытии смены"],
  "documents-to-read": [{ left: "1500" }, "Читаются документы кассы, которых нет в журнале, осталось: 1500"],
};

const CASES = Object.entries(PROBLEMS).map(([problem, [details, words]]) => ({
  refusal: driveUnread(problem as DriveProblem, details),
  words,
}));

describe("a register that does not tell what stands in its drive", () => {
  it.each([...CASES, { refusal: unreachable("COM3 молчит"), words: "COM3 молчит" }])(
    "is named to the cashier and to the operator: $words",
    ({ refusal, words }) => {
      expect(errorOf(refusal)).toMatchObject({
        status: 503,
        code: 50030,
        message: `Нет связи с кассой (${words}). Ничего не пробито. Проверьте питание и подключение кассы и повторите операцию.`,
      });
      expect(refusalWords(refusal)).toBe(`register-unreachable: ${words}`);
    },
  );
});
