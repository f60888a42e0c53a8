import { readErrors } from "../../sandbox/caller/fiscal-answer.ts";
import { broken, objectOf, type Sent, statusOf } from "../exchanges.ts";
import { CannotRun, type Finding, type Group, held, inTurn } from "../rule.ts";
import type { Scene } from "../scene.ts";
import { bytesOf } from "./answers.ts";
import type { Till } from "./till.ts";

/** How refusals are written (seed, Errors; platform-contracts 4.7). */
export const errorsGroup: Group = {
  id: "fiscal/error",
  needs: ["fiscal/signature/accepted"],
  rules: [
    {
      id: "fiscal/error/shape",
      title: "a refusal is a list of errors",
      source: "seed",
      clause: "seed, Errors; platform-contracts 4.7",
      expected:
        '{"errors":[{"error":"text","code":12017,"error_message":"text"}]}: code a whole number, parameter optional; for a missing signature, a body without fields, an unknown path and broken JSON alike',
      mend: "Write every refusal of the fiscal contract by one function, the framework's own 400 and 404 included; the field is error_message here, with an underscore.",
      check: (scene) =>
        overRefusals(scene, (sent) => {
          const list = objectOf(sent)?.errors;
          const readable = readErrors(bytesOf(sent));
          const whole = Array.isArray(list) && list.length > 0 && readable.length === list.length;
          return whole && readable.every(({ code }) => Number.isInteger(code)) ? held : broken(sent, "the body is not of that shape");
        }),
    },
    {
      id: "fiscal/error/status",
      title: "a refusal has a status of a refusal",
      source: "seed",
      clause: "seed, Errors",
      expected: "any status but 200, 201 and 204 (and no redirect)",
      mend: "Do not answer 200 with errors in the body: the till would print.",
      check: (scene) => overRefusals(scene, (sent) => (statusOf(sent) >= 400 ? held : broken(sent, "the status is none of a refusal"))),
    },
    {
      id: "fiscal/error/content-type",
      title: "a refusal is declared as JSON",
      source: "decided",
      clause: "platform-contracts 7, Content type",
      expected: "Content-Type: application/json; charset=utf-8",
      mend: "Set the header in the function that writes errors.",
      check: (scene) =>
        overRefusals(scene, (sent) => {
          const { exchange } = sent;
          const json = exchange.kind === "answer" && /^application\/json;\s*charset=utf-8$/i.test(exchange.contentType);
          return json ? held : broken(sent, "the Content-Type is another");
        }),
    },
    {
      id: "fiscal/error/words",
      title: "the cashier reads Russian words, the platform's people a short title",
      source: "decided",
      clause: "interface 5, Errors; platform-contracts 4.7",
      expected: "error_message in Russian that says what to do; error a short title in English",
      mend: "Write error_message for the person at the till: what happened, and what to do now.",
      needs: ["fiscal/error/shape"],
      check: (scene) =>
        overRefusals(scene, (sent) => {
          const [first] = readErrors(bytesOf(sent));
          const russian = /[а-яё]{3}/i.test(first?.message ?? "");
          const english = /^[\x20-\x7e]{3,100}$/.test(first?.error ?? "");
          return russian && english ? held : broken(sent, russian ? "error is no short English title" : "error_message is not in Russian");
        }),
    },
  ],
};

const REFUSALS: readonly { name: string; send(till: Till): Promise<Sent> }[] = [
  { name: "an unsigned request", send: (till) => till.send("retaildemand", {}, { signature: null }) },
  { name: "a body without fields", send: (till) => till.send("retaildemand", {}) },
  { name: "an unknown path", send: (till) => till.send("retaildemand", {}, { path: "/1/conformance-run" }) },
  { name: "broken JSON", send: (till) => till.send("retaildemand", Buffer.from('{"name": "')) },
];

async function overRefusals(scene: Scene, check: (sent: Sent) => Finding): Promise<Finding> {
  const till = await scene.newTill();
  return inTurn(
    REFUSALS,
    ({ name }) => name,
    async ({ send }) => {
      const sent = await send(till);
      if (sent.exchange.kind === "no-answer") throw new CannotRun("there was no answer; mend fiscal/content/no-json first");
      return check(sent);
    },
  );
}
