import { held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, statusOf } from "../../exchanges/sent.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { expectErrors, expectState, expectStatus } from "./answers.ts";

/** Above the 1 MiB that a server accepts (platform-contracts 7), but below the 2 MiB limit of the proxy in the project's README. */
const TOO_LARGE_BYTES = 1_100_000;
const LARGE_BYTES = 900_000;

export const bodiesGroup: Group = {
  id: "vendor/body",
  needs: ["vendor/activation/status"],
  rules: [
    {
      id: "vendor/body/app-uid",
      title: "an appUid of another entry is refused",
      source: "decided",
      clause: "platform-contracts 3.4",
      expected: "400 when appUid is not the one that belongs to the path's appId",
      mend: "Compare appUid with the credential set that the appId picked.",
      check: async (scene) => expectStatus(await scene.newAccount().activate("Install", { appUid: "another-solution.vendor" }), 400),
    },
    {
      id: "vendor/body/no-json",
      title: "a body that is no JSON is refused",
      source: "decided",
      clause: "interface 6, Vendor contract's errors",
      expected: "400 for a truncated body and for an empty one; never 500, which the platform would repeat for minutes",
      mend: "Catch the parser's error and answer 400; check for an empty body.",
      check: (scene) =>
        inTurn(
          ['{"appUid": "', ""],
          (text) => (text === "" ? "an empty body" : "a truncated body"),
          async (text) => expectStatus(await scene.newAccount().activate("Install", {}, { body: Buffer.from(text) }), 400),
        ),
    },
    {
      id: "vendor/body/no-cause",
      title: "a body without a cause is refused",
      source: "decided",
      clause: "platform-contracts 3.4; interface 6",
      expected: "400 when cause is missing: it is always there, and what cannot be understood must not install anything",
      mend: "Require cause to be a text.",
      check: async (scene) => expectStatus(await scene.newAccount().activate("Install", { cause: undefined }), 400),
    },
    {
      id: "vendor/body/error-shape",
      title: "a refusal of a body has the contract's shape and names the field",
      source: "decided",
      clause: "platform-contracts 3.8; interface 6, Vendor contract's errors",
      expected: '{"errors":[{"error":"words","code":400,"parameter":"appUid"}]} with Content-Type application/json',
      mend: "Put the name of the field at fault into parameter.",
      needs: ["vendor/body/app-uid"],
      check: async (scene) => {
        const sent = await scene.newAccount().activate("Install", { appUid: "another-solution.vendor" });
        const shape = expectErrors(sent);
        if (shape.kind !== "held") return shape;
        return JSON.stringify(objectOf(sent)?.errors).includes('"parameter":"appUid"')
          ? held
          : broken(sent, "parameter does not name appUid");
      },
    },
    {
      id: "vendor/body/large",
      title: "a body of 900 KB is taken",
      source: "decided",
      clause: "platform-contracts 7, Raw body",
      expected: "200 for an Install whose body is padded to 900 KB: bodies up to 1 MiB are accepted",
      mend: "Raise the body limit of the framework and of the proxy before it.",
      check: async (scene) => expectState(await activateWith(scene, LARGE_BYTES)),
    },
    {
      id: "vendor/body/too-large",
      title: "a body above 1 MiB is refused",
      source: "decided",
      clause: "platform-contracts 7, Raw body",
      expected: "a 4xx (413) for a body above 1 MiB, answered and not cut off",
      mend: "Bound what is read, and answer 413 once the bound is passed.",
      check: async (scene) => {
        const sent = await activateWith(scene, TOO_LARGE_BYTES);
        const status = statusOf(sent);
        return status >= 400 && status < 500 ? held : broken(sent, "the status is not 4xx");
      },
    },
  ],
};

function activateWith(scene: Scene, bytes: number) {
  return scene.newAccount().activate("Install", { padding: "x".repeat(bytes) });
}
