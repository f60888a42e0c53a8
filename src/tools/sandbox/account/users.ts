import { createHash } from "node:crypto";
import type { Caller } from "../call/call.ts";
import { referenceIn, type Stored } from "../values/stored.ts";
import type { Account } from "./account.ts";

/** A person who may log in. Stored as an object of type `login` that refers to the employee. */
export interface Login {
  readonly login: string;
  readonly password: string;
  readonly administrator: boolean;
  /** The role that a one-time window token states for a user without administrator rights. Absent: cashier. */
  readonly role?: "worker";
}

/** Returns the caller with this login and password. */
export function callerOfLogin(account: Account, login: string, password: string): Caller | undefined {
  const stored = [...account.objects.all("login").values()].find(({ values }) => values.login === login && values.password === password);
  return stored === undefined ? undefined : userOf(stored);
}

/** Returns the caller of a Bearer token. Undefined: the token is unknown or revoked, or its user no longer exists. */
export function callerOfToken(account: Account, token: string): Caller | undefined {
  const stored = account.objects.get("token", tokenId(token));
  if (stored === undefined) return undefined;
  const { appId, login } = stored.values;
  if (typeof appId === "string") return solutionOf(account, appId);
  const user = typeof login === "string" ? account.objects.get("login", login) : undefined;
  return user === undefined ? undefined : userOf(user);
}

/** Returns the digest of a token, which is its id in the account. */
export function tokenId(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function userOf({ values }: Stored): Caller | undefined {
  const employee = referenceIn(values.employee);
  if (employee === undefined) return undefined;
  return { kind: "user", employee, login: String(values.login), administrator: values.administrator === true };
}

/** A solution acts as the account's administrator. */
function solutionOf(account: Account, appId: string): Caller | undefined {
  const administrator = [...account.objects.all("login").values()].find(({ values }) => values.administrator === true);
  const employee = referenceIn(administrator?.values.employee);
  return employee === undefined ? undefined : { kind: "solution", appId, employee, administrator: true };
}
