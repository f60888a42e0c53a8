import { Secret } from "../kernel/secret.ts";
import { PlatformApi, type PlatformApiOptions } from "./api/api.ts";
import { PlatformFailure } from "./api/failure.ts";

/** The value of the Authorization header for a token. */
export function bearer(token: Secret): () => string {
  return () => `Bearer ${token.reveal()}`;
}

/** The value of the Authorization header for a login of the form `name@account`. */
export function basic(login: string, password: Secret): () => string {
  return () => `Basic ${Buffer.from(`${login}:${password.reveal()}`, "utf8").toString("base64")}`;
}

/** Makes a new token of the user (json-api 3). All earlier tokens of the user become invalid. */
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
