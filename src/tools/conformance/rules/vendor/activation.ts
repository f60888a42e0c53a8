import { held, inTurn } from "../../exchanges/check-result.ts";
import { broken, expectInTime } from "../../exchanges/judged.ts";
import { objectOf, type Sent, statusOf } from "../../exchanges/sent.ts";
import type { Group } from "../rule.ts";
import { expectState } from "./answers.ts";

const BASE = "vendor/activation/status";

/** PUT of the vendor contract in all its correct forms (platform-contracts 3.3–3.5). */
export const activationGroup: Group = {
  id: "vendor/activation",
  rules: [
    {
      id: BASE,
      title: "Install is answered with the state of the installation",
      source: "public",
      clause: "platform-contracts 3.3, 3.5",
      expected:
        'PUT {vendor base}/api/platform/vendor/1.0/apps/{appId}/{accountId} with cause Install: 200 and {"status":"Activated"} when nothing is missing, "SettingsRequired" when settings are, "Activating" only for real work in the background',
      mend: "Serve the path, verify the token (Authorization: Bearer, HS256 with the secretKey of the path's appId), keep access_token and additional.fiscalApi of the body, and answer the state. A 404 may mean that the server is under the other profile (--profile), or that /vendor stands twice in the path: --base is the address above /vendor.",
      check: async (scene) => {
        const sent = await scene.newAccount().activate("Install");
        const result = expectState(sent);
        if (result.kind !== "broken" || statusOf(sent) !== 401) return result;
        return { ...result, mend: mendOfSecret(scene.target.ownCredentials) };
      },
    },
    {
      id: "vendor/activation/content-type",
      title: "the answer to an activation is declared as JSON",
      source: "public",
      clause: "platform-contracts 3.3",
      expected: "Content-Type: application/json on the 200; the platform takes no other",
      mend: "Set the header on the answer of PUT, not only on errors.",
      needs: [BASE],
      check: async (scene) => {
        const sent = await scene.newAccount().activate("Install");
        return isJson(sent) ? held : broken(sent, "the Content-Type is not application/json");
      },
    },
    {
      id: "vendor/activation/in-time",
      aboutTime: true,
      title: "an activation is answered within 10 seconds",
      source: "public",
      clause: "platform-contracts 3.3, 3.6",
      expected: "an answer within 10 s; later it counts as none, and the platform repeats the call every 10 s for 3 minutes",
      mend: 'Answer {"status":"Activating"} at once, do the long work in the background, and report Activated by PUT …/status when it is done.',
      needs: [BASE],
      check: async (scene) => {
        const sent = await scene.newAccount().activate("Install");
        const { vendorMs } = scene.services.limits;
        return expectInTime(sent, vendorMs);
      },
    },
    {
      id: "vendor/activation/repeat",
      title: "an Install that comes twice changes nothing",
      source: "public",
      clause: "platform-contracts 3.3",
      expected: "the same Install again, with a token of its own: 200 and the same state; duplicates happen",
      mend: "Make the handler idempotent: store by (appId, accountId) and overwrite, never refuse because a row is there already.",
      needs: [BASE],
      check: async (scene) => {
        const account = await scene.account();
        const first = objectOf(await account.activate("Install"))?.status;
        return expectState(await account.activate("Install"), first);
      },
    },
    {
      id: "vendor/activation/optional-parts",
      title: "an Install without access, subscription and additional is taken",
      source: "public",
      clause: "platform-contracts 3.4",
      expected:
        "200 for an Install without access, subscription and additional, and with null for each: only appUid, accountName and cause are always there; access comes when it was asked for, additional.fiscalApi with a fiscalApi block, subscription sometimes",
      mend: "Treat the three as optional, and null as absent.",
      needs: [BASE],
      check: (scene) =>
        inTurn(
          [undefined, null],
          (value) => (value === null ? "parts that are null" : "parts left out"),
          async (value) =>
            expectState(await scene.newAccount().activate("Install", { access: value, subscription: value, additional: value })),
        ),
    },
    {
      id: "vendor/activation/unknown-fields",
      title: "fields that nobody knows yet are ignored",
      source: "public",
      clause: "platform-contracts 7, Tolerance",
      expected: "200 for a body with further fields at every level; the platform promises to add fields without asking",
      mend: "Do not let the schema of the body refuse additional properties.",
      needs: [BASE],
      check: async (scene) =>
        expectState(
          await scene.newAccount().activate("Install", { brandNew: { deep: [1, 2] }, subscription: { tariffId: "t", addedLater: true } }),
        ),
    },
    {
      id: "vendor/activation/gzip",
      title: "a body packed with gzip is taken",
      source: "decided",
      clause: "platform-contracts 7, Raw body",
      expected: "PUT with cause Install and Content-Encoding: gzip: 200 with the state, as when it comes unpacked",
      mend: "Unpack gzip bodies, with a limit on the unpacked size.",
      needs: [BASE],
      check: async (scene) => expectState(await scene.newAccount().activate("Install", {}, { gzip: true })),
    },
    {
      id: "vendor/activation/without-request-id",
      title: "a call without its request id is served",
      source: "decided",
      clause: "platform-contracts 3.3",
      expected: "200 without X_Platform_RequestId: the name has underscores, and common proxies drop such headers silently",
      mend: "Use the header to tell a retry from a replay where it is there; never require it.",
      needs: [BASE],
      check: async (scene) => expectState(await scene.newAccount().activate("Install", {}, { requestId: null })),
    },
    {
      id: "vendor/activation/unreadable-key",
      title: "a public key that cannot be read does not fail the activation",
      source: "decided",
      clause: "platform-contracts 3.4",
      expected:
        "200 with the usual state when additional.fiscalApi.token is no RSA public key; fiscal calls are refused until a good one comes",
      mend: "Note the key as unusable and tell whoever runs the server: a 4xx would be final and take the other contracts down as well.",
      needs: [BASE],
      check: async (scene) => {
        const account = scene.newAccount();
        const fiscalApi = { id: account.installation.registrationId, token: "this-is-no-key" };
        return expectState(await account.activate("Install", { additional: { fiscalApi } }));
      },
    },
    {
      id: "vendor/activation/tariff",
      title: "a change of the tariff leaves the state alone",
      source: "public",
      clause: "platform-contracts 3.5",
      expected: "PUT with cause TariffChanged or Autoprolongation, which bring no access: 200 with the state as it was",
      mend: "Update the subscription only; keep the access token, since none is sent with these causes.",
      needs: [BASE],
      check: async (scene) => {
        const account = await scene.account();
        const before = objectOf(await account.activate("Install"))?.status;
        return inTurn(
          ["TariffChanged", "Autoprolongation"],
          (cause) => cause,
          async (cause) => expectState(await account.activate(cause), before),
        );
      },
    },
    {
      id: "vendor/activation/resume",
      title: "Resume puts a suspended installation back",
      source: "public",
      clause: "platform-contracts 3.5",
      expected: "PUT with cause Resume and a new access token after DELETE with cause Suspend: 200 with the state that it had",
      mend: "Keep every setting on Suspend, take the new token on Resume, and answer Activated unless settings are missing.",
      needs: [BASE],
      check: async (scene) => {
        const account = scene.newAccount();
        const before = objectOf(await account.activate("Install"))?.status;
        await account.deactivate("Suspend");
        account.renew();
        return expectState(await account.activate("Resume"), before);
      },
    },
    {
      id: "vendor/activation/unknown-cause",
      title: "a cause that nobody knows yet is answered with the current state",
      source: "decided",
      clause: "platform-contracts 3.5",
      expected: "PUT with another cause: 200 with the state as it is, nothing changed; a 4xx is final and would strand the customer",
      mend: "Let the switch over causes end in a default that logs and answers the state.",
      needs: [BASE],
      check: async (scene) => {
        const account = await scene.account();
        const before = objectOf(await account.activate("Install"))?.status;
        return expectState(await account.activate("MovedToAnotherRegion"), before);
      },
    },
  ],
};

/** Returns the advice for a refused token. The server has another secret, or checks tokens wrongly. The answer does not show which. */
function mendOfSecret(ownCredentials: boolean): string {
  const first = ownCredentials
    ? "The secret of your --app is not the server's, or the server does not know that appId: give APPID:APPUID:SECRET as they stand in its configuration."
    : "The server does not hold the development set of credentials: configure it, or give --app.";
  return `${first} Are they the same: the token is in Authorization: Bearer, HS256 with the secretKey of the path's appId as text.`;
}

function isJson({ exchange }: Sent): boolean {
  return exchange.kind === "answer" && /^application\/json\b/i.test(exchange.contentType);
}
