import { type CheckResult, held } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { type Sent, statusOf } from "../../exchanges/sent.ts";
import type { Group } from "../rule.ts";
import { expectState, expectStatus } from "./answers.ts";

/** DELETE of the vendor contract. Also GET, with which the platform formerly asked for the status (platform-contracts 3.3, 3.5). */
export const deactivationGroup: Group = {
  id: "vendor/deactivation",
  needs: ["vendor/activation/status"],
  rules: [
    {
      id: "vendor/deactivation/suspend",
      title: "Suspend is answered with an empty 200 or 204",
      source: "public",
      clause: "platform-contracts 3.3, 3.5",
      expected: "DELETE with a JSON body and cause Suspend: 200 or 204, empty",
      mend: "Read the body of DELETE (frameworks and proxies may drop it), stop the work, erase the token, keep the settings, answer nothing else.",
      check: async (scene) => expectEmpty(await (await scene.account()).deactivate("Suspend")),
    },
    {
      id: "vendor/deactivation/uninstall",
      title: "Uninstall is answered with an empty 200 or 204",
      source: "public",
      clause: "platform-contracts 3.3, 3.5",
      expected: "DELETE with a JSON body and cause Uninstall: 200 or 204, empty",
      mend: "Stop the work, erase the token, answer nothing else; keeping the settings for a re-install is recommended.",
      check: async (scene) => {
        const account = scene.newAccount();
        await account.activate("Install");
        return expectEmpty(await account.deactivate("Uninstall"));
      },
    },
    {
      id: "vendor/deactivation/repeat",
      title: "an Uninstall that comes twice is answered as well",
      source: "public",
      clause: "platform-contracts 3.3",
      expected: "200 or 204 again for a second DELETE with cause Uninstall: duplicates happen, and a 4xx would be a failed deactivation",
      mend: "Answer 204 when there is nothing left to remove.",
      check: async (scene) => {
        const account = scene.newAccount();
        await account.activate("Install");
        await account.deactivate("Uninstall");
        return expectStatus(await account.deactivate("Uninstall"), 200, 204);
      },
    },
    {
      id: "vendor/deactivation/never-installed",
      title: "an Uninstall of what was never installed is 204",
      source: "public",
      clause: "platform-contracts 3.5",
      expected:
        "204 for DELETE with cause Uninstall of an account that was never installed; a 404 there has been unsupported since 12 March 2026",
      mend: "Answer 204 where no row of the account is found.",
      check: async (scene) => expectStatus(await scene.stranger().deactivate("Uninstall"), 204),
    },
    {
      id: "vendor/deactivation/unknown-cause",
      title: "a cause that nobody knows yet suspends",
      source: "decided",
      clause: "platform-contracts 3.5",
      expected: "DELETE with another cause: 200 (or 204), as for Suspend; a 4xx is final and would strand the customer",
      mend: "Let the switch over causes end in a default that suspends and logs.",
      check: async (scene) => {
        const account = scene.newAccount();
        await account.activate("Install");
        return expectStatus(await account.deactivate("MovedToAnotherRegion"), 200, 204);
      },
    },
    {
      id: "vendor/deactivation/re-install",
      title: "what was uninstalled can be installed again",
      source: "public",
      clause: "platform-contracts 3.5",
      expected: "Install after Uninstall: 200 with a state",
      mend: "Do not refuse an account because it was here before.",
      check: async (scene) => {
        const account = scene.newAccount();
        await account.activate("Install");
        await account.deactivate("Uninstall");
        account.renew();
        return expectState(await account.activate("Install"));
      },
    },
    {
      id: "vendor/deactivation/probe",
      title: "the old status probe knows what is installed",
      source: "public",
      clause: "platform-contracts 3.3",
      expected:
        "GET of the account's path: 404 when it was never installed, 200 with a state (or 404 where the probe is not served) when it is",
      mend: "The platform no longer asks: answer 404 always, or the truth.",
      check: async (scene) => {
        const stranger = expectStatus(await scene.stranger().call("GET"), 404, 405);
        if (stranger.kind !== "held") return stranger;
        const account = scene.newAccount();
        await account.activate("Install");
        const sent = await account.call("GET");
        return [404, 405].includes(statusOf(sent)) ? held : expectState(sent);
      },
    },
  ],
};

function expectEmpty(sent: Sent): CheckResult {
  const status = expectStatus(sent, 200, 204);
  if (status.kind !== "held") return status;
  const empty = sent.exchange.kind === "answer" && sent.exchange.body.length === 0;
  return empty ? held : broken(sent, "the body is not empty");
}
