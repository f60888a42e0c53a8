import type { Account } from "../../account/account.ts";
import { callerOfLogin, callerOfToken, tokenId } from "../../account/users.ts";
import type { Caller } from "../../call/call.ts";
import { Refusal, refused } from "../../call/refusal.ts";
import type { FailedLogins } from "./failed-logins.ts";

/** The sender, as the request states it. Failed logins are counted by `name`. */
interface Claim {
  readonly name: string;
  /** Whether too many failures lock the name, even for the right password. Nobody can guess a token, so tokens are exempt. */
  readonly lockable: boolean;
  find(account: Account): Caller | undefined;
  /** The claimed login. A token claims none. */
  readonly login?: string;
}

const WRONG = { ru: "Неправильный пароль или имя пользователя", en: "Wrong password or user name" };
const MALFORMED = {
  ru: "Неверный формат имени пользователя. Укажите свою учетную запись, например admin@romashka.",
  en: "Malformed user name. Name your account too, as in admin@romashka.",
};

/** Returns the refusal 1056 (json-api 3). Its text says that the login lacks the form `name@account`, or that the credentials are wrong. */
export function notAuthenticated(login?: string): Refusal {
  const malformed = login !== undefined && !login.includes("@");
  return new Refusal({ code: 1056, details: [malformed ? MALFORMED : WRONG] });
}

/**
 * Returns the sender of the request (json-api 3). Throws 1056 for missing, malformed or wrong credentials. Throws 1048 if the login, or
 * this wrong token or header, failed too often.
 */
export function authenticate(account: Account, header: string | undefined, failures: FailedLogins): Caller {
  if (header === undefined || header === "") throw notAuthenticated();
  const claim = claimIn(header);
  if (claim.lockable && failures.locked(claim.name)) throw refused(1048);
  const caller = claim.find(account);
  if (caller === undefined) {
    const locked = failures.locked(claim.name);
    failures.failed(claim.name);
    throw locked ? refused(1048) : notAuthenticated(claim.login);
  }
  failures.succeeded(claim.name);
  return caller;
}

function claimIn(header: string): Claim {
  const [, scheme = "", value = ""] = /^(\S+) +(\S+)\s*$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case "basic":
      return ofBasic(value);
    case "bearer":
      return { name: `token/${tokenId(value)}`, lockable: false, find: (account) => callerOfToken(account, value) };
    default:
      return { name: `other/${tokenId(header)}`, lockable: false, find: () => undefined };
  }
}

function ofBasic(value: string): Claim {
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  const login = colon < 0 ? text : text.slice(0, colon);
  return {
    name: `login/${login}`,
    login,
    lockable: true,
    find: (account) => (colon < 0 ? undefined : callerOfLogin(account, login, text.slice(colon + 1))),
  };
}

/** `X-Platform-Auth` numbers by error code. json-api 10.3 states the numbers for 1049 and 1073, but not for 1048 and 1056. */
export const AUTH_NUMBERS: Readonly<Record<number, string>> = { 1048: "429001", 1049: "429002", 1056: "401000", 1073: "429005" };
