import { signToken } from "../sandbox/caller/vendor-token.ts";
import { wordsOfAnswer } from "./exchanges/report-text.ts";
import { statusOf } from "./exchanges/sent.ts";
import { Account, type AccountServices } from "./play/account.ts";

/**
 * Tests whether the server has the development credentials. Such a server accepts a token made with their secret, and refuses a token made
 * with another secret. Without the second check, a server with a real register and no token check would pass.
 */
export async function proveDevelopmentSet(services: AccountServices): Promise<{ kind: "proved" } | { kind: "not-proved"; why: string }> {
  const account = new Account(services, services.accountIds.next("development-set"));
  const stranger = `Bearer ${signToken(account.claims(), "another secret that nobody was given")}`;
  const forged = await account.activate("Install", {}, { authorization: stranger });
  if (statusOf(forged) === 200) {
    await account.remove();
    const why =
      "the server takes tokens signed with any secret, so that it takes the development set's says nothing about what drive it has, and the first " +
      "fiscal request may register a real document. Mend vendor/token/wrong-secret first, or give --registers-for-real if you answer for the documents.";
    return { kind: "not-proved", why };
  }
  const proper = await account.activate("Install");
  await account.remove();
  if (statusOf(proper) === 200) return { kind: "proved" };
  const why = `the server does not take the development set of credentials: Install was answered ${wordsOfAnswer(proper)}. Configure it, or give --app and --registers-for-real.`;
  return { kind: "not-proved", why };
}
