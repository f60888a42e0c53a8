import { describe, expect, it } from "vitest";
import { type AlertExamination, alertFindings, alertLines, alertsStop } from "../../../src/cli/doctor/alerts.ts";

const UNSENT = {
  kind: "late-money",
  title: { ru: "Деньги пришли после отказа", en: "Money came after a payment was rejected" },
  state: "begins",
  audience: "operator",
  sinceMs: 0,
  attempts: 3,
  problem: "alerts.example answered 500",
};

const examined = (more: Partial<AlertExamination>): AlertExamination => ({ channels: [], unsent: [], ...more });

describe("what doctor says of alerts", () => {
  it("is that nobody is told where there is no channel, which stops nothing", () => {
    const none = examined({});
    expect(alertLines(none)).toEqual(["Alerts", "  none: nobody is told of what needs a person", ""]);
    expect([alertsStop(none), alertFindings(none)]).toEqual([false, []]);
  });

  it("is which channels work, and what could not be sent", () => {
    const found = examined({
      channels: [
        { name: "https", reaches: "operator" },
        { name: "smtp", reaches: "owner", problem: "connect ECONNREFUSED" },
      ],
      unsent: [UNSENT],
    });
    expect(alertLines(found)).toEqual([
      "Alerts",
      "  https, to the operator: works",
      "  smtp, to the owner: connect ECONNREFUSED",
      "  not sent: late-money begins, to the operator, tried 3 times: alerts.example answered 500",
      "",
    ]);
    expect([alertsStop(found), alertFindings(found)[0]]).toEqual([true, "STOPS NOW: Alerts do not reach whom they should."]);
  });
});
