import { readErrors } from "../../../sandbox/caller/fiscal-answer.ts";
import { CannotRun, type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, type Sent, statusOf } from "../../exchanges/sent.ts";
import type { Scene } from "../../play/scene.ts";
import type { Till } from "../../play/till.ts";
import type { Group } from "../rule.ts";
import { bytesOf } from "./answers.ts";

/** The form of refusals (seed, Errors; platform-contracts 4.7). This group comes before every rule about the code of a refusal. */
export const errorsGroup: Group = {
  id: "fiscal/error",
  needs: ["vendor/activation/status"],
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
          const problem = problemOf(objectOf(sent)?.errors);
          return problem === undefined ? held : broken(sent, problem);
        }),
    },
    {
      id: "fiscal/error/status",
      title: "a refusal has a status of a refusal",
      source: "seed",
      clause: "seed, Errors",
      expected: "a refused request is answered with a status of 400 or above: not with 200, 201 or 204, and with no redirect",
      mend: "Do not answer 200 with errors in the body: the till would print.",
      check: (scene) => overRefusals(scene, (sent) => (statusOf(sent) >= 400 ? held : broken(sent, "the status is none of a refusal"))),
    },
    {
      id: "fiscal/error/content-type",
      title: "a refusal is declared as JSON",
      source: "decided",
      clause: "platform-contracts 7, Content type",
      expected: "Content-Type: application/json; charset=utf-8 on every refusal",
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

function problemOf(errors: unknown): string | undefined {
  if (!Array.isArray(errors)) return errors === undefined ? "the body has no errors" : `errors is ${kindOf(errors)}, a list is expected`;
  if (errors.length === 0) return "errors is an empty list";
  for (const entry of errors as unknown[]) {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return `an error is ${kindOf(entry)}, an object is expected`;
    const { error, code, error_message: message, parameter } = entry as Record<string, unknown>;
    if (!Number.isInteger(code)) return `code is ${kindOf(code)}, a whole number is expected`;
    if (typeof error !== "string") return `error is ${kindOf(error)}, a text is expected`;
    if (typeof message !== "string") return `error_message is ${kindOf(message)}, a text is expected`;
    if (parameter !== undefined && typeof parameter !== "string") return `parameter is ${kindOf(parameter)}, a text is expected`;
  }
  return undefined;
}

/** Describes a value in words, such as `the text "12017"`. */
function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return `the ${typeof value === "string" ? "text" : typeof value} ${JSON.stringify(value)}`;
}

async function overRefusals(scene: Scene, check: (sent: Sent) => CheckResult): Promise<CheckResult> {
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
