import { held, inTurn } from "../../exchanges/check-result.ts";
import { broken, expectInTime } from "../../exchanges/judged.ts";
import type { Group } from "../rule.ts";
import { documentNumberOf, expectDone } from "./answers.ts";

const AT_ONCE = 4;

/** This group is the last fiscal group, because it judges the times of the whole run (platform-contracts 4.8, interface 5). */
export const timingGroup: Group = {
  id: "fiscal/timing",
  needs: ["fiscal/answer/retaildemand"],
  rules: [
    {
      id: "fiscal/timing/at-once",
      title: "different documents at once are registered one after the other",
      source: "decided",
      clause: "platform-contracts 4.8",
      expected: `${AT_ONCE} sales in the same instant at one point of sale: 200 for each (409 and 50003 until then), with numbers that follow one another`,
      mend: "Keep one queue for each register: documents wait for each other in it, and none is refused because the register is busy.",
      check: async (scene) => {
        const till = await scene.till();
        const bodies = Array.from({ length: AT_ONCE }, () => till.saleBody());
        const answers = await Promise.all(bodies.map((body) => till.send("retaildemand", body)));
        const done = await inTurn(
          answers,
          () => "one of several at once",
          async (sent) => expectDone(sent),
        );
        if (done.kind !== "held") return done;
        const numbers = answers.map(documentNumberOf).toSorted((a, b) => a - b);
        const [last] = answers.slice(-1);
        const inRow = numbers.every((number, index) => number === (numbers[0] ?? 0) + index);
        return inRow || last === undefined ? held : broken(last, `the numbers are ${numbers.join(", ")}`);
      },
    },
    {
      id: "fiscal/timing/nine-seconds",
      aboutTime: true,
      title: "every fiscal request is answered within 9 seconds",
      source: "decided",
      clause: "interface 5, Idempotency; platform-contracts 4.8",
      expected:
        "an answer in 3 s as a rule and in 9 s at the latest: then 409 and 50003 while the work goes on, and a repeat of the same request gets the result",
      mend: "Put a deadline on the handler that answers 50003 without stopping the work.",
      check: async (scene) => {
        const till = await scene.till();
        await till.send("retaildemand", till.saleBody());
        const { exchanges, limits } = scene.services;
        const late = exchanges.all.find(({ contract, exchange }) => contract === "fiscal" && exchange.elapsedMs > limits.fiscalMs);
        return late === undefined ? held : expectInTime(late, limits.fiscalMs);
      },
    },
  ],
};
