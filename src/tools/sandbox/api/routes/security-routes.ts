import type { Chance } from "../../../../kernel/clock.ts";
import { issueToken } from "../../account/tokens.ts";
import { refused } from "../../call/refusal.ts";
import { notAuthenticated } from "../admission/authentication.ts";
import { ok } from "../answers/answer.ts";
import type { ApiRoute } from "./route.ts";

/** `POST security/token` issues a token and revokes the user's earlier tokens. It requires login and password (json-api 3). */
export function securityRoutes(chance: Chance): readonly ApiRoute[] {
  return [
    {
      method: "POST",
      pattern: "security/token",
      async handle({ headers, reading: { account, call } }) {
        const { caller } = call;
        if (caller.kind !== "user") throw refused(55005);
        // A token cannot get a new token. Otherwise a stolen token would give access forever.
        if (!/^basic /i.test(String(headers.authorization))) throw notAuthenticated();
        const token = await account.commit(() => issueToken(account, caller.login, chance), call);
        return ok({ access_token: token });
      },
    },
  ];
}
