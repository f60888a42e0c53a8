import type { Call } from "../../../sandbox/caller/call.ts";
import type { FiscalOperation } from "../../../sandbox/caller/fiscal-operation.ts";
import { inTurn } from "../../exchanges/check-result.ts";
import { declaredOperations } from "../../play/declared.ts";
import type { Group } from "../rule.ts";
import { expectRefused } from "./answers.ts";

/** The paths of operations. At a served path a signed body without fields gets code 999. */
export const pathsGroup: Group = {
  id: "fiscal/path",
  needs: ["fiscal/error/shape", "fiscal/signature/accepted"],
  rules: [
    {
      id: "fiscal/path/served",
      title: "every operation has its path",
      source: "seed",
      clause: "seed, Endpoints; platform-contracts 4.3",
      expected:
        "PUT /1/openshift, POST /1/retaildemand, POST /1/retaisalesreturn (spelled so), POST /1/retaildrawercashin, POST /1/retaildrawercashout, PUT /1/closeshift: a signed {} is 412 and 999 at each, not 404; with a descriptor, those that its operationTypes declare",
      mend: "Serve each declared operation at the contract's own spelling and method, also where that spelling is odd.",
      check: (scene) =>
        inTurn(
          declaredOperations(scene.target),
          (operation) => operation,
          async (operation) => expectRefused(await (await scene.newTill()).send(operation, {}), 412, 999),
        ),
    },
    {
      id: "fiscal/path/return-alias",
      title: "a return is served under the right spelling as well",
      source: "decided",
      clause: "platform-contracts 4.3; interface 4",
      expected:
        "an empty signed body {} is sent, so that the refusal of the operation's own handler (412 and 999) is the proof: POST /1/retailsalesreturn reaches the same handler as /1/retaisalesreturn, since the misspelling may be corrected one day",
      mend: "Route both paths to one handler.",
      check: async (scene) => {
        const till = await scene.newTill();
        return expectRefused(await till.send("retaisalesreturn", {}, { path: "/1/retailsalesreturn" }), 412, 999);
      },
    },
    {
      id: "fiscal/path/doubled-slash",
      title: "a doubled slash counts as one",
      source: "decided",
      clause: "platform-contracts 2.5; interface 4",
      expected: "{fiscal base}//1/retaildemand reaches the sale: how the platform joins base and path is not documented",
      mend: "Fold doubled slashes before routing (and let the proxy not redirect them).",
      check: async (scene) => expectRefused(await (await scene.newTill()).send("retaildemand", {}, { path: "//1/retaildemand" }), 412, 999),
    },
    {
      id: "fiscal/path/unknown",
      title: "an operation that is not served is 404",
      source: "decided",
      clause: "platform-contracts 4.3, 4.7",
      expected: '404 and {"errors":[{"error":"…","code":50404,"error_message":"…"}]} for a signed POST {fiscal base}/1/conformance-run',
      mend: "Let the router's own not-found answer be written by the contract's error function.",
      check: async (scene) => {
        const till = await scene.newTill();
        return expectRefused(await till.send("retaildemand", {}, { path: "/1/conformance-run" }), 404, 50404);
      },
    },
    {
      id: "fiscal/path/wrong-method",
      title: "another method is 405",
      source: "decided",
      clause: "interface 6, Error codes",
      expected: "405 and code 50405 for POST /1/openshift, PUT /1/retaildemand and GET /1/closeshift",
      mend: "Answer 405 where the path is known and the method is not the contract's.",
      check: (scene) =>
        inTurn(
          WRONG_METHODS,
          ({ method, operation }) => `${method} ${operation}`,
          async ({ method, operation }) => expectRefused(await (await scene.newTill()).send(operation, {}, { method }), 405, 50405),
        ),
    },
  ],
};

const WRONG_METHODS: readonly { method: Call["method"]; operation: FiscalOperation }[] = [
  { method: "POST", operation: "openshift" },
  { method: "PUT", operation: "retaildemand" },
  { method: "GET", operation: "closeshift" },
];
