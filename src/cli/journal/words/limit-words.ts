import { type DayProblem, FISCAL_DATA_SINCE } from "../../../model/correction-limits.ts";
import type { RateProblem } from "../../../model/settlement-problem.ts";
import { TAX_SYSTEMS, VAT_RATES } from "../../../model/tax.ts";

/** Returns why a day cannot be the day of a settlement. `today`: the day at the register. */
export function dayWords(problem: DayProblem, today: string): string {
  switch (problem) {
    case "no-such-day":
      return "there is no such day";
    case "not-come":
      return `it is ${today} there, and what is corrected was settled already`;
    case "before-fiscal-data":
      return `there are no receipts with fiscal data before ${FISCAL_DATA_SINCE}`;
  }
}

/** Returns which line of the right data has an impossible rate, and why it is impossible. */
export function rateWords(problem: RateProblem): string {
  return `lines.${problem.line}.vat: ${VAT_RATES[problem.vat].label} ${whyNot(problem)}`;
}

function whyNot(problem: RateProblem): string {
  switch (problem.code) {
    case "not-under":
      return `goes with no tax system of ${TAX_SYSTEMS[problem.taxSystem].label}`;
    case "simplified-alone":
      return `goes with a simplified tax system alone, not with ${TAX_SYSTEMS[problem.taxSystem].label}`;
    case "ended":
      return `ended with ${problem.year}, and this was settled on ${problem.settledOn}`;
    case "not-begun":
      return `began with ${problem.year}, and this was settled on ${problem.settledOn}`;
  }
}
