import { Secret } from "../kernel/secret.ts";
import { PlatformApi, type PlatformApiOptions } from "./api/api.ts";
import { PlatformFailure } from "./api/failure.ts";

/** The header's value for a token. */
export function bearer(token: Secret): () => string {
  return () => `Bearer ${token.reveal()}`;
}

/** The header's value for a login of the form `name@account`. */
export function basic(login: string, password: Secret): () => string {
  return () => `Basic ${Buffer.from(`${login}:${password.reveal()}`, "utf8").toString("base64")}`;
}

/** A new token of the user (3). It takes the place of every earlier one of the same user, which the platform knows no more. */
export async function issueToken(
  options: Omit<PlatformApiOptions, "authorization">,
  { login, password }: { readonly login: string; readonly password: Secret },
): Promise<Secret> {
  const api = new PlatformApi({ ...options, authorization: basic(login, password) });
  const { body } = await api.call({ method: "POST", path: "security/token" });
  const token: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "access_token") : undefined;
  if (typeof token !== "string") throw new PlatformFailure("unavailable", "the platform answered without a token");
  return new Secret(token);
}
