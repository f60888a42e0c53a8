import type { Chance } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Stored } from "../values/stored.ts";
import type { Account } from "./account.ts";
import { type Login, tokenId } from "./users.ts";

const TOKEN_BYTES = 20;

/** Issues a token and revokes the user's earlier tokens (json-api 3). Must run inside a commit. */
export function issueToken(account: Account, login: string, chance: Chance): string {
  for (const stored of tokensOf(account, login)) account.remove(stored);
  const token = newToken(chance);
  account.put({ type: "token", id: tokenId(token), values: { login } });
  return token;
}

/**
 * Returns the administrator's token for the sandbox to print at its start: `asked`, or the oldest valid token of earlier starts, or a new
 * token.
 */
export function startToken(account: Account, asked: string | undefined, chance: Chance): Promise<string> {
  const administrator = administratorOf(account);
  return account.commit(() => {
    const earlier = tokensOf(account, administrator.id).find(({ values }) => typeof values.text === "string");
    if (asked === undefined && earlier !== undefined) return String(earlier.values.text);
    const text = asked ?? newToken(chance);
    account.put({ type: "token", id: tokenId(text), values: { login: administrator.id, text } });
    return text;
  });
}

/**
 * Checks the given logins against the stored logins, and stores a changed password. Throws a `Failure` if the account lacks a login or
 * gives it other rights.
 */
export async function admitLogins(account: Account, stated: readonly Login[]): Promise<void> {
  await account.commit(() => {
    for (const { login, password, administrator } of stated) {
      const stored = account.objects.get("login", login);
      if (stored === undefined || stored.values.administrator !== administrator) {
        const option = administrator ? "--admin" : "--employee";
        throw new Failure("folder-differs", "caller", `${option}: the folder was begun without ${login}`);
      }
      if (stored.values.password !== password) account.put({ ...stored, values: { ...stored.values, password } });
    }
  });
}

function administratorOf(account: Account): Stored {
  const found = [...account.objects.all("login").values()].find(({ values }) => values.administrator === true);
  if (found === undefined) throw new Failure("no-administrator", "fault", "the account has no administrator");
  return found;
}

function tokensOf(account: Account, login: string): readonly Stored[] {
  return [...account.objects.all("token").values()].filter(({ values }) => values.login === login);
}

function newToken(chance: Chance): string {
  return chance.bytes(TOKEN_BYTES).toString("hex");
}
