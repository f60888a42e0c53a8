import { at } from "../../descriptor/find.ts";
import { type CheckResult, held, notApplicable } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, statusOf } from "../../exchanges/sent.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";
import { expectStatus } from "./answers.ts";

const PERMISSIONS_CHANGED = {
  cause: "PermissionsChanged",
  accountName: "conformance-run",
  access: [{ resource: "https://api.platform.example/api/remap/1.2", scope: ["custom"], permissions: { retailStore: { view: "ALL" } } }],
};

/** Calls that the platform makes only if the descriptor declares them (platform-contracts 3.3). */
export const eventsGroup: Group = {
  id: "vendor/event",
  needs: ["vendor/activation/status"],
  rules: [
    {
      id: "vendor/event/permissions",
      title: "an event of changed permissions is taken",
      source: "public",
      clause: "platform-contracts 3.3, 3.5",
      expected:
        "PUT …/apps/{appId}/{accountId}/event with cause PermissionsChanged: 200, when the descriptor has additionalEvents/updatePermissions",
      mend: "Serve the path and update the stored permissions; or take additionalEvents out of the descriptor.",
      check: async (scene) => {
        if (!mayBeDeclared(scene, "vendorApi", "additionalEvents")) return notApplicable("the descriptor asks for no additional events");
        const account = await scene.account();
        return expectStatus(await account.call("PUT", { body: PERMISSIONS_CHANGED, under: "/event" }), 200);
      },
    },
    {
      id: "vendor/event/other-path",
      title: "the event's other path is served as well",
      source: "decided",
      clause: "platform-contracts 3.3, 9; interface 6, Event path",
      expected:
        "PUT {vendor base}/api/vendor/1.0/apps/{appId}/{accountId}/event, without the platform segment: 200; the documents write the path both ways",
      mend: "Route both spellings to one handler.",
      needs: ["vendor/event/permissions"],
      check: async (scene) => {
        if (!mayBeDeclared(scene, "vendorApi", "additionalEvents")) return notApplicable("the descriptor asks for no additional events");
        const account = await scene.account();
        return expectStatus(await account.call("PUT", { body: PERMISSIONS_CHANGED, under: "/event", suffix: "/api/vendor/1.0" }), 200);
      },
    },
    {
      id: "vendor/event/button",
      title: "a press of a button is answered with an action or with words",
      source: "public",
      clause: "platform-contracts 3.3",
      expected: 'POST …/button: 200 with an action, or 400 with {"error":{"errorMessage":"…"}}, which the user is shown',
      mend: "Answer 400 with error.errorMessage also for a button that is not known.",
      check: (scene) => checkAction(scene, "button", { buttonName: "conformance-run" }, "buttons"),
    },
    {
      id: "vendor/event/scenario",
      title: "an action of a scenario is answered with 200 or with words",
      source: "public",
      clause: "platform-contracts 3.3",
      expected: 'POST …/scenario: 200, or 400 with {"error":{"errorMessage":"…"}}; any other failure is repeated for 24 hours',
      mend: "Answer 400 with error.errorMessage also for an action that is not known.",
      check: (scene) => checkAction(scene, "scenario", { actionName: "conformance-run" }, "scenario"),
    },
  ],
};

async function checkAction(scene: Scene, path: "button" | "scenario", body: object, block: string): Promise<CheckResult> {
  if (!mayBeDeclared(scene, block)) return notApplicable(`the descriptor declares no ${block}`);
  const account = await scene.account();
  const sent = await account.call("POST", { body, under: `/${path}` });
  const status = statusOf(sent);
  if (status === 404 && scene.target.descriptor === undefined)
    return notApplicable(`${path} is not served, and there is no descriptor that declares one`);
  if (status === 200) return held;
  if (status !== 400) return broken(sent, "the status is neither 200 nor 400");
  const error = objectOf(sent)?.error;
  const words = typeof error === "object" && error !== null && "errorMessage" in error ? error.errorMessage : undefined;
  return typeof words === "string" && words !== "" ? held : broken(sent, "there is no error.errorMessage");
}

/** Whether the descriptor declares the element. Also true without a readable descriptor, because the element may be declared. */
function mayBeDeclared({ target }: Scene, ...path: string[]): boolean {
  const { descriptor } = target;
  return descriptor === undefined || descriptor.read.kind === "broken" || at(descriptor.read.root, ...path) !== undefined;
}
