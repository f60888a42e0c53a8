import type { ReceivedCall } from "../../../sandbox/caller/vendor-side.ts";
import { type CheckResult, held, notApplicable } from "../../exchanges/check-result.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group } from "../rule.ts";

/** The server's calls to the platform during the run (platform-contracts 3.8). The group comes late, so that there are calls to check. */
export const ownCallsGroup: Group = {
  id: "vendor/own-calls",
  needs: ["vendor/activation/status"],
  rules: [
    {
      id: "vendor/own-calls/gzip",
      title: "calls to the platform accept gzip",
      source: "public",
      clause: "platform-contracts 3.8",
      expected: "Accept-Encoding: gzip on every call to the platform; otherwise it answers 415",
      mend: "Set the header in the HTTP client, and unpack the answers.",
      check: async (scene) => judged(scene, (call) => call.answered === 415),
    },
    {
      id: "vendor/own-calls/token",
      title: "calls to the platform carry a token of their own",
      source: "public",
      clause: "platform-contracts 3.2, 3.8",
      expected:
        "Authorization: Bearer with HS256, sub = appUid, iat within 300 s, a jti that never repeats; the JSON API instead takes the access_token of the activation, until Suspend or Uninstall",
      mend: "Make a new token for each call, repeats included; call no more for an installation once its Suspend or Uninstall is answered.",
      check: async (scene) => judged(scene, (call) => call.answered === 401 && call.excused !== true),
    },
    {
      id: "vendor/own-calls/status-once",
      title: "Activated is not reported again after it was answered",
      source: "public",
      clause: "platform-contracts 3.8",
      expected: "no PUT …/status with Activated for an account whose activation was itself answered Activated",
      mend: "Report a status only for installations that were answered Activating or SettingsRequired.",
      check: async (scene) => {
        const { platform, exchanges } = scene.services;
        if (platform.received.length === 0) return noCalls(scene);
        const saidOf = (accountId: string) =>
          exchanges.all.filter(({ call }) => call.method === "PUT" && call.path.endsWith(`/${accountId}`));
        const again = platform.received.find(
          ({ status, accountId }) => status === "Activated" && saidOf(accountId).every(({ exchange }) => saysActivated(exchange)),
        );
        if (again === undefined) return held;
        return {
          kind: "broken",
          sent: "PUT with cause Install, answered Activated",
          seen: `PUT …/apps/…/${again.accountId}/status with Activated`,
        };
      },
    },
  ],
};

/** No call is no fault: a server that answers Install with Activated need not call the platform. */
function noCalls({ services }: Scene): CheckResult {
  return notApplicable(
    "the server made no call to the platform during the run, as is right where Install is answered Activated at once. To have its calls judged, let the test " +
      `server answer Activating or SettingsRequired and report Activated within ${services.limits.activationMs / 1000} s, to the host of access[].resource ` +
      "in the activation, or to the port that --port N fixes",
  );
}

function judged(scene: Scene, isWrong: (call: ReceivedCall) => boolean): CheckResult {
  const { received } = scene.services.platform;
  if (received.length === 0) return noCalls(scene);
  const wrong = received.find(isWrong);
  if (wrong === undefined) return held;
  return {
    kind: "broken",
    sent: "nothing; the server's own calls were looked at",
    seen: `${wrong.method} for account ${wrong.accountId || "none"} was answered ${wrong.answered}: ${wrong.problem ?? ""}`,
  };
}

function saysActivated(exchange: { kind: "answer"; body: Buffer } | { kind: "no-answer" }): boolean {
  return exchange.kind === "answer" && /"status"\s*:\s*"Activated"/.test(exchange.body.toString("utf8"));
}
