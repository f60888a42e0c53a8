import type { QrCallName } from "../../../sandbox/caller/qr-call.ts";
import { held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import type { QrChange, QrTill } from "../../play/qr-till.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group, Rule } from "../rule.ts";
import { expectRefused, qrErrorOf } from "./answers.ts";
import { oddBodiesRule } from "./odd-bodies.ts";

const CALLS: readonly QrCallName[] = ["create", "state", "cancel"];
const FIELDS = ["amount", "operationId", "accountId", "retailStoreId"] as const;
type Field = (typeof FIELDS)[number];

/** Impossible values of each field. The rules of qr/amount check amounts that are numbers. */
const WRONG_VALUES: Readonly<Record<Field, readonly unknown[]>> = {
  amount: [null, true, { value: 1000 }, "1000"],
  operationId: [null, 7, "", "x".repeat(5_000)],
  accountId: [null, 7, "", "../../etc"],
  retailStoreId: [null, 7, "", ["one"]],
};

/** Paths and methods. At a served path an empty object gets 412. */
export const qrPathsGroup: Group = {
  id: "qr/path",
  needs: ["qr/token/accepted", "qr/error/shape"],
  rules: [
    {
      id: "qr/path/served",
      title: "the three calls have their paths",
      source: "seed",
      clause: "seed, QR payment; platform-contracts 5.3",
      expected:
        "POST /payment/qr, POST /payment/state and POST /payment/cancel below the base: {} with a right token is 412 and 999 at each, not 404",
      mend: "Serve the three paths below the endpointBase of the descriptor's provider.",
      check: (scene) =>
        inTurn(
          CALLS,
          (call) => call,
          async (call) => expectRefused(await sendTo(scene, call, { bytes: Buffer.from("{}") }), 412, 999),
        ),
    },
    {
      id: "qr/path/unknown",
      title: "a call that is not served is 404",
      source: "decided",
      clause: "payments surface 5",
      expected: "404 and code 404 for POST /payment/refund and for POST /payment below the base",
      mend: "Let the router's own not-found answer be written by the contract's error function.",
      check: (scene) =>
        inTurn(
          ["/payment/refund", "/payment"],
          (path) => path,
          async (path) => expectRefused(await sendTo(scene, "state", { path }), 404, 404),
        ),
    },
    {
      id: "qr/path/wrong-method",
      title: "another method is 405",
      source: "decided",
      clause: "payments surface 5",
      expected: "405 and code 405 for GET, PUT and DELETE at each of the three paths",
      mend: "Answer 405 where the path is known and the method is not POST.",
      check: (scene) =>
        inTurn(
          CALLS.flatMap((call) => (["GET", "PUT", "DELETE"] as const).map((method) => ({ call, method }))),
          ({ call, method }) => `${method} ${call}`,
          async ({ call, method }) => expectRefused(await sendTo(scene, call, { method }), 405, 405),
        ),
    },
  ],
};

export const qrBodiesGroup: Group = {
  id: "qr/body",
  needs: ["qr/token/accepted", "qr/error/shape"],
  rules: [
    {
      id: "qr/body/type",
      title: "a body that is not sent as JSON is refused",
      source: "decided",
      clause: "payments surface 5",
      expected: "415 and code 415 for Content-Type text/plain and for a form",
      mend: "Look at Content-Type before you look at the token.",
      check: (scene) =>
        inTurn(
          ["text/plain", "application/x-www-form-urlencoded"],
          (contentType) => contentType,
          async (contentType) => expectRefused(await sendTo(scene, "create", { contentType }), 415, 415),
        ),
    },
    {
      id: "qr/body/too-large",
      title: "a body of more than a megabyte is refused",
      source: "decided",
      clause: "payments surface 5",
      expected: "413 and code 413 for a body of two megabytes",
      mend: "Bound how much of a body you read, and read the rest away before you answer, so that the caller sees the answer.",
      check: async (scene) => expectRefused(await sendTo(scene, "create", { bytes: Buffer.alloc(2 * 1024 * 1024, " ") }), 413, 413),
    },
    {
      id: "qr/body/no-json",
      title: "a body that is no JSON is refused",
      source: "decided",
      clause: "payments surface 5",
      expected: "400 and code 400 for a body that is cut off, for one without any byte, and for one that is no UTF-8",
      mend: "Answer 400 by the contract's error function, not by the framework's.",
      check: (scene) =>
        inTurn(
          [
            Buffer.from('{"amount": 1000, "operationId": "'),
            Buffer.alloc(0),
            Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
          ],
          (bytes) => `${bytes.length} bytes`,
          async (bytes) => expectRefused(await sendTo(scene, "create", { bytes }), 400, 400),
        ),
    },
    {
      id: "qr/body/no-object",
      title: "JSON that is no object is refused",
      source: "decided",
      clause: "payments surface 5",
      expected: "412 and 999 for a body that is null, a list, a number or a text",
      mend: "Expect any JSON value, and answer 412 where it is no object.",
      check: (scene) =>
        inTurn(
          ["null", "[]", "7", '"text"'],
          (text) => text,
          async (text) => expectRefused(await sendTo(scene, "create", { bytes: Buffer.from(text) }), 412, 999),
        ),
    },
    {
      id: "qr/body/unknown-fields",
      title: "members that nobody knows are passed over",
      source: "decided",
      clause: "platform-contracts 7",
      expected: "404 and 1002, as without it, for a state call of an unknown operation whose body has a member brandNew",
      mend: "Do not make the schema strict: the platform may add members at any time.",
      check: async (scene) => expectRefused(await sendTo(scene, "state", { body: { brandNew: { deep: [1] } } }), 404, 1002),
    },
    oddBodiesRule,
  ],
};

export const qrRequiredGroup: Group = {
  id: "qr/required",
  needs: ["qr/token/accepted", "qr/error/shape"],
  rules: [
    ...FIELDS.map(fieldRule),
    {
      id: "qr/required/parameter",
      title: "a refusal names the field at fault",
      source: "decided",
      clause: "platform-contracts 5.6",
      expected: '412, code 999 and "parameter":"retailStoreId" for create without retailStoreId; likewise for the other three fields',
      mend: "Put the field's name into parameter of the error: it is what the platform's people look at first.",
      needs: FIELDS.map(ruleIdOf),
      check: (scene) =>
        inTurn(
          FIELDS,
          (field) => `no ${field}`,
          async (field) => {
            const sent = await sendTo(scene, "create", { body: { [field]: undefined } });
            return qrErrorOf(sent)?.parameter === field ? held : broken(sent, `the error's parameter is not "${field}"`);
          },
        ),
    },
  ],
};

function fieldRule(field: Field): Rule {
  return {
    id: ruleIdOf(field),
    title: `a call without ${field}, or with one that is none, is refused`,
    source: "decided",
    clause: "platform-contracts 5.3, 5.6; payments surface 5",
    expected: `412 and 999 when ${field} is missing in create, state or cancel, and when it is ${WRONG_VALUES[field].map(words).join(", ")}`,
    mend: "Check the four members of the body by one schema in all three calls, before you look the operation up.",
    check: async (scene) => {
      const missing = await inTurn(
        CALLS,
        (call) => `${call} without ${field}`,
        async (call) => expectRefused(await sendTo(scene, call, { body: { [field]: undefined } }), 412, 999),
      );
      if (missing.kind !== "held") return missing;
      return inTurn(WRONG_VALUES[field], words, async (value) =>
        expectRefused(await sendTo(scene, "create", { body: { [field]: value } }), 412, 999),
      );
    },
  };
}

function ruleIdOf(field: Field): string {
  return `qr/required/${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function words(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? `a text of ${text.length - 2} characters` : text;
}

async function sendTo(scene: Scene, call: QrCallName, change: QrChange) {
  const till: QrTill = await scene.qrTill();
  return till.send(call, till.newPayment(), change);
}
