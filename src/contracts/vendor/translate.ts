import type { Access, Activation, FiscalKeyArrival, Subscription } from "../../accounts/installation.ts";
import { Secret } from "../../kernel/secret.ts";
import { readPublicKey } from "../../security/public-key.ts";
import type { AccessBody, ActivationBody, EventBody, SubscriptionBody } from "./schema.ts";

/** The content of Install and Resume. The first access with a token gives the token. */
export function activationOf(body: ActivationBody): Activation {
  const accessToken = body.access?.find(({ access_token: token }) => token != null && token !== "")?.access_token;
  return { ...changeOf(body), ...accessOf(body.access), ...(accessToken == null ? {} : { accessToken: new Secret(accessToken) }) };
}

/** The content of TariffChanged and Autoprolongation. Their token and access are ignored. */
export function changeOf(body: ActivationBody): Omit<Activation, "accessToken" | "access"> {
  return {
    ...(body.accountName == null ? {} : { accountName: body.accountName }),
    ...(body.subscription == null ? {} : { subscription: subscriptionOf(body.subscription) }),
    ...(body.additional?.fiscalApi == null ? {} : { fiscalKey: fiscalKeyOf(body.additional.fiscalApi) }),
  };
}

/** The content of PermissionsChanged. */
export function permissionsOf(body: EventBody): Pick<Activation, "accountName" | "access"> {
  return { ...(body.accountName == null ? {} : { accountName: body.accountName }), ...accessOf(body.access) };
}

/** Leaves the token out, because the granted access is stored unencrypted. */
function accessOf(access: AccessBody[] | null | undefined): { access?: Access[] } {
  if (access == null) return {};
  return {
    access: access.map(({ resource, scope, permissions }) => ({
      resource: resource ?? "",
      scope: scope ?? [],
      ...(permissions == null ? {} : { permissions }),
    })),
  };
}

function subscriptionOf(body: SubscriptionBody): Subscription {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value != null));
}

function fiscalKeyOf({ id, token }: { id: string; token?: unknown }): FiscalKeyArrival {
  if (token == null) return { registrationId: id, key: { kind: "unusable", problem: "no public key was sent" } };
  if (typeof token !== "string") return { registrationId: id, key: { kind: "unusable", problem: "the public key is no text" } };
  return { registrationId: id, key: readPublicKey(token) };
}
