import type { Chance } from "../../kernel/clock.ts";
import { issueToken } from "../account/tokens.ts";
import { ok } from "./answer.ts";
import { refused } from "./refusal.ts";
import type { ApiRoute } from "./route.ts";

/** `POST security/token`: a user's new token, in the place of every earlier one (reference 3). */
export function securityRoutes(chance: Chance): readonly ApiRoute[] {
  return [
    {
      method: "POST",
      pattern: "security/token",
      async handle({ reading: { account, call } }) {
        const { caller } = call;
        if (caller.kind !== "user") throw refused(55005);
        const token = await account.commit(() => issueToken(account, caller.login, chance), call);
        return ok({ access_token: token });
      },
    },
  ];
}
