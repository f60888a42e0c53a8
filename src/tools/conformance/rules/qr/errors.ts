import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, type Sent } from "../../exchanges/sent.ts";
import type { QrTill } from "../../play/qr-till.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { qrErrorOf } from "./answers.ts";

/** The form of refusals (platform-contracts 5.6). This group comes before every rule about the code of a refusal. */
export const qrErrorsGroup: Group = {
  id: "qr/error",
  needs: ["vendor/activation/status"],
  rules: [
    {
      id: "qr/error/shape",
      title: "a refusal is a list of errors",
      source: "seed",
      clause: "seed, QR payment, Errors; platform-contracts 5.6",
      expected:
        '{"errors":[{"error":"text","code":999,"errorMessage":"text"}]}: code a number; errorMessage, written so, and parameter optional; for a missing token, a body without fields, an unknown path and broken JSON alike',
      mend: "Write every refusal of the QR contract by one function, the framework's own 400 and 404 included; the field is errorMessage here, in camel case.",
      check: (scene) =>
        overRefusals(scene, (sent) => {
          const problem = problemOf(objectOf(sent)?.errors);
          return problem === undefined ? held : broken(sent, problem);
        }),
    },
    {
      id: "qr/error/content-type",
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
      id: "qr/error/words",
      title: "the cashier reads Russian words, the platform's people a short title",
      source: "decided",
      clause: "platform-contracts 5.6; payments surface 5",
      expected: "errorMessage in Russian that says what to do; error a short title in English",
      mend: "Write errorMessage for the person at the till: what happened, and what to do now.",
      needs: ["qr/error/shape"],
      check: (scene) =>
        overRefusals(scene, (sent) => {
          const error = qrErrorOf(sent);
          const russian = /[а-яё]{3}/i.test(error?.errorMessage ?? "");
          const english = /^[\x20-\x7e]{3,100}$/.test(error?.error ?? "");
          return russian && english ? held : broken(sent, russian ? "error is no short English title" : "errorMessage is not in Russian");
        }),
    },
  ],
};

const REFUSALS: readonly { name: string; send(till: QrTill): Promise<Sent> }[] = [
  { name: "a request without a token", send: (till) => till.send("create", till.newPayment(), { authorization: null }) },
  { name: "a body without fields", send: (till) => till.send("create", till.newPayment(), { bytes: Buffer.from("{}") }) },
  { name: "an unknown path", send: (till) => till.send("create", till.newPayment(), { path: "/payment/conformance-run" }) },
  { name: "broken JSON", send: (till) => till.send("create", till.newPayment(), { bytes: Buffer.from('{"amount": ') }) },
];

function problemOf(errors: unknown): string | undefined {
  if (!Array.isArray(errors)) return errors === undefined ? "the body has no errors" : "errors is no list";
  if (errors.length === 0) return "errors is an empty list";
  for (const entry of errors as unknown[]) {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return "an error is no object";
    const { error, code, errorMessage, parameter } = entry as Record<string, unknown>;
    if (typeof code !== "number") return "code is no number";
    if (typeof error !== "string") return "error is no text";
    if (errorMessage !== undefined && typeof errorMessage !== "string") return "errorMessage is no text";
    if ("error_message" in entry) return "the words stand in error_message, which is the name of another contract";
    if (parameter !== undefined && typeof parameter !== "string") return "parameter is no text";
  }
  return undefined;
}

async function overRefusals(scene: Scene, check: (sent: Sent) => CheckResult): Promise<CheckResult> {
  const till = await scene.qrTill();
  return inTurn(
    REFUSALS,
    ({ name }) => name,
    async ({ send }) => check(await send(till)),
  );
}
