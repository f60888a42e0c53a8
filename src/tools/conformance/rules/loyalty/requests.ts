import { giftCardQuery } from "../../../sandbox/caller/loyalty/bodies.ts";
import { LOYALTY_CALLS, type LoyaltyCallName } from "../../../sandbox/caller/loyalty/call.ts";
import { held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { errorOf, objectOf, type Sent } from "../../exchanges/sent.ts";
import type { LoyaltyChange } from "../../play/loyalty-till.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { askQuote, expectRefused, expectStatus } from "./answers.ts";
import { loyaltyOddBodiesRule } from "./odd-bodies.ts";

const CALLS = Object.keys(LOYALTY_CALLS) as LoyaltyCallName[];
const POSTS = CALLS.filter((name) => LOYALTY_CALLS[name].method === "POST");

/** The form of errors, checked with an unknown path: this error is the simplest to cause. */
export const loyaltyErrorsGroup: Group = {
  id: "loyalty/error",
  needs: ["loyalty/key/accepted"],
  rules: [
    {
      id: "loyalty/error/shape",
      title: "an error has the contract's shape",
      source: "seed",
      clause: "seed, Errors; platform-contracts 6.9",
      expected:
        "a body with errors, a list of objects whose error and error_message are texts and whose code is a whole number, for a path that is not served",
      mend: "Write every refusal by one function; the words stand in error_message, with an underscore.",
      check: async (scene) => {
        const sent = await sendTo(scene, "recalc", { path: "/nothing/here" });
        const [first] = listIn(objectOf(sent)?.errors);
        const { error, code, error_message: message } = { ...(first as Record<string, unknown> | undefined) };
        const right = typeof error === "string" && typeof message === "string" && Number.isInteger(code);
        return right ? held : broken(sent, "there is no error with error, code and error_message");
      },
    },
    {
      id: "loyalty/error/content-type",
      title: "an error is sent as JSON in UTF-8",
      source: "seed",
      clause: "seed, Endpoints",
      expected: "Content-Type application/json with charset utf-8 for a path that is not served",
      mend: "Set the type in the function that writes errors: the words are Russian.",
      needs: ["loyalty/error/shape"],
      check: async (scene) => {
        const sent = await sendTo(scene, "recalc", { path: "/nothing/here" });
        const type = sent.exchange.kind === "answer" ? sent.exchange.contentType.toLowerCase().replaceAll(" ", "") : "";
        return type === "application/json;charset=utf-8" ? held : broken(sent, "the type is another");
      },
    },
    {
      id: "loyalty/error/words",
      title: "an error speaks to the cashier",
      source: "decided",
      clause: "platform-contracts 6.9; interface 6, Language",
      expected: "error_message in Russian letters for a path that is not served: it is shown at the till",
      mend: "Put what happened and what to do into error_message, in Russian; a short English title into error.",
      needs: ["loyalty/error/shape"],
      check: async (scene) => {
        const sent = await sendTo(scene, "recalc", { path: "/nothing/here" });
        return /[а-яё]/i.test(errorOf(sent)?.message ?? "") ? held : broken(sent, "error_message is not in Russian");
      },
    },
  ],
};

/** Paths and methods. At a served path a request without fields gets 412. */
export const loyaltyPathsGroup: Group = {
  id: "loyalty/path",
  needs: ["loyalty/key/accepted", "loyalty/error/shape"],
  rules: [
    {
      id: "loyalty/path/served",
      title: "the seven calls with a body have their paths",
      source: "seed",
      clause: "seed, Endpoints, Loyalty; platform-contracts 6.2",
      expected: `412 and 999, not 404, for {} with the right key at ${POSTS.map((name) => LOYALTY_CALLS[name].path).join(", ")}`,
      mend: "Serve all of the paths below the address that you tell the platform.",
      check: (scene) =>
        inTurn(
          POSTS,
          (name) => name,
          async (name) => expectRefused(await sendTo(scene, name, { bytes: Buffer.from("{}") }), 412, 999),
        ),
    },
    {
      id: "loyalty/path/gift-card",
      title: "gift cards have their path",
      source: "public",
      clause: "platform-contracts 6.2",
      expected: "412 and 999, not 404 with code 404, for GET /giftcard without name and retailStoreId",
      mend: "Serve GET /giftcard, new in June 2025, also where there are no gift cards.",
      check: async (scene) => expectRefused(await sendTo(scene, "gift-card", { path: "/giftcard" }), 412, 999),
    },
    {
      id: "loyalty/path/unknown",
      title: "a call that is not served is 404",
      source: "decided",
      clause: "payments surface 6",
      expected: "404 and code 404 for POST /retaildemand/cancel and POST /customer",
      mend: "Let the router's own not-found answer be written by the contract's error function.",
      check: (scene) =>
        inTurn(
          ["/retaildemand/cancel", "/customer"],
          (path) => path,
          async (path) => expectRefused(await sendTo(scene, "recalc", { path }), 404, 404),
        ),
    },
    {
      id: "loyalty/path/wrong-method",
      title: "another method is 405",
      source: "decided",
      clause: "payments surface 6",
      expected: "405 and code 405 for PUT and DELETE at each path, and for GET at /retaildemand/recalc and POST at /giftcard",
      mend: "Answer 405 where the path is known and the method is not its own.",
      check: (scene) =>
        inTurn(
          [
            ...CALLS.flatMap((name) => (["PUT", "DELETE"] as const).map((method) => ({ name, method }))),
            { name: "recalc", method: "GET" } as const,
            { name: "gift-card", method: "POST" } as const,
          ],
          ({ name, method }) => `${method} ${name}`,
          async ({ name, method }) =>
            expectRefused(await sendTo(scene, name, { method, contentType: "application/json", bytes: Buffer.from("{}") }), 405, 405),
        ),
    },
    {
      id: "loyalty/path/doubled-slash",
      title: "a doubled slash counts as one",
      source: "decided",
      clause: "platform-contracts 2.5; interface 4",
      expected: "412 and 999 for {} at //retaildemand/recalc: how the platform joins an address and a path is not documented",
      mend: "Make one slash of several before the path is looked up.",
      check: async (scene) =>
        expectRefused(await sendTo(scene, "recalc", { path: "//retaildemand/recalc", bytes: Buffer.from("{}") }), 412, 999),
    },
  ],
};

export const loyaltyBodiesGroup: Group = {
  id: "loyalty/body",
  needs: ["loyalty/key/accepted", "loyalty/error/shape"],
  rules: [
    {
      id: "loyalty/body/type",
      title: "a body that is not sent as JSON is refused",
      source: "decided",
      clause: "payments surface 6",
      expected: "415 and code 415 for Content-Type text/plain and for a form",
      mend: "Look at Content-Type before you read the body.",
      check: (scene) =>
        inTurn(
          ["text/plain", "application/x-www-form-urlencoded"],
          (contentType) => contentType,
          async (contentType) => expectRefused(await sendTo(scene, "recalc", { contentType, label: contentType }), 415, 415),
        ),
    },
    {
      id: "loyalty/body/too-large",
      title: "a body of more than a megabyte is refused",
      source: "decided",
      clause: "payments surface 6; interface 4",
      expected: "413 and code 413 for a body of two megabytes",
      mend: "Bound how much of a body you read, and read the rest away before you answer, so that the caller sees the answer.",
      check: async (scene) => expectRefused(await sendTo(scene, "recalc", { bytes: Buffer.alloc(2 * 1024 * 1024, " ") }), 413, 413),
    },
    {
      id: "loyalty/body/no-json",
      title: "a body that is no JSON is refused",
      source: "decided",
      clause: "payments surface 6",
      expected: "400 and code 400 for a body that is cut off, for one without any byte, and for one that is no UTF-8",
      mend: "Answer 400 by the contract's error function, not by the framework's.",
      check: (scene) =>
        inTurn(
          [Buffer.from('{"retailStore": {"meta'), Buffer.alloc(0), Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
          (bytes) => `${bytes.length} bytes`,
          async (bytes) => expectRefused(await sendTo(scene, "recalc", { bytes }), 400, 400),
        ),
    },
    {
      id: "loyalty/body/no-object",
      title: "JSON that is no object is refused",
      source: "decided",
      clause: "payments surface 6",
      expected: "412 and 999 for a body that is null, a list, a number or a text",
      mend: "Expect any JSON value, and answer 412 where it is no object.",
      check: (scene) =>
        inTurn(
          ["null", "[]", "7", '"text"'],
          (text) => text,
          async (text) => expectRefused(await sendTo(scene, "recalc", { bytes: Buffer.from(text), label: text }), 412, 999),
        ),
    },
    {
      id: "loyalty/body/gzip",
      title: "a packed body is read",
      source: "decided",
      clause: "interface 4",
      expected: "200 for recalc whose body is packed by gzip, and says so in Content-Encoding",
      mend: "Unpack bodies before you read them, with a bound on what comes out.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        return expectStatus(await askQuote(till, { lines: [till.line(9600, 1000)] }, { gzip: true, label: "gzip" }), 200);
      },
    },
    {
      id: "loyalty/body/unknown-fields",
      title: "members that nobody knows are passed over",
      source: "decided",
      clause: "platform-contracts 7",
      expected: "200 for recalc whose body has a member brandNew",
      mend: "Do not make the schema strict: the platform may add members at any time.",
      check: async (scene) => {
        const till = await scene.loyaltyTill();
        const line = { assortment: { meta: { id: till.newId(), href: "" } }, quantity: 1, price: 96 };
        const body = { retailStore: { meta: { id: till.place.storeId, href: "" } }, positions: [line], brandNew: { deep: [1] } };
        return expectStatus(await till.send("recalc", body, { label: "brandNew" }), 200);
      },
    },
    loyaltyOddBodiesRule,
  ],
};

async function sendTo(scene: Scene, name: LoyaltyCallName, change: LoyaltyChange): Promise<Sent> {
  const till = await scene.loyaltyTill();
  return till.send(name, giftCardQuery(till.place, "none"), change);
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
