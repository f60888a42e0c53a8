import { z } from "zod";
import { MAX_ACCESS, MAX_SCOPES } from "../../accounts/stored-schema.ts";
import { boundedList } from "../../kernel/list-schema.ts";
import { PLATFORM_ID } from "../../model/operation.ts";

/**
 * Bodies of the vendor contract (platform-contracts 3.4–3.6). Unknown fields are ignored. In optional fields null counts as absent
 * (platform-contracts 7). A cause is any short text: an unknown cause is answered, never refused.
 */

const text = (maxLength: number) => z.string().max(maxLength);
const flag = z.union([z.boolean(), z.stringbool({ truthy: ["true"], falsy: ["false"] })]);

/** The longest accepted name, id or other short text. No name or id of the platform is nearly as long. */
const NAME_LENGTH = 500;
/** The longest accepted token of the JSON API. Today these tokens have 40 characters. */
const TOKEN_LENGTH = 4_096;

const accessSchema = z.object({
  resource: text(NAME_LENGTH).nullish().describe("The JSON API that access is granted to"),
  scope: z
    .union([boundedList(text(NAME_LENGTH), { max: MAX_SCOPES }), text(NAME_LENGTH).transform((scope) => [scope])])
    .nullish()
    .describe("`admin` or `custom`"),
  permissions: z.unknown().optional().describe("Only with scope custom"),
  access_token: text(TOKEN_LENGTH).nullish().describe("Bearer token of the JSON API"),
});

const subscriptionSchema = z.object({
  tariffId: text(NAME_LENGTH).nullish(),
  tariffName: text(NAME_LENGTH).nullish(),
  trial: flag.nullish(),
  expiryMoment: text(NAME_LENGTH).nullish().describe("RFC 3339"),
  notForResale: flag.nullish(),
  partner: flag.nullish(),
});

const fiscalApiSchema = z.object({
  id: z.string().regex(PLATFORM_ID).describe("Registration id: who will call the fiscal contract"),
  // An unusable key never fails the activation (platform-contracts 3.4).
  token: z.unknown().optional().describe("RSA public key, Base64 of SPKI DER on one line"),
});

export const activationSchema = z.object({
  appUid: text(NAME_LENGTH).describe("Must be the appUid of the appId in the path"),
  accountName: text(NAME_LENGTH).nullish(),
  cause: text(NAME_LENGTH).describe("Install, Resume, TariffChanged or Autoprolongation; another changes nothing"),
  access: boundedList(accessSchema, { max: MAX_ACCESS }).nullish(),
  subscription: subscriptionSchema.nullish(),
  additional: z.object({ fiscalApi: fiscalApiSchema.nullish() }).nullish(),
});

export const deactivationSchema = z.object({
  cause: text(NAME_LENGTH).nullish().describe("Suspend or Uninstall; anything else counts as Suspend"),
});

export const eventSchema = z.object({
  cause: text(NAME_LENGTH).describe("PermissionsChanged; another changes nothing"),
  accountName: text(NAME_LENGTH).nullish(),
  access: boundedList(accessSchema, { max: MAX_ACCESS }).nullish(),
});

export const statusSchema = z.object({ status: z.enum(["Activating", "SettingsRequired", "Activated"]) });

export const errorsSchema = z.object({
  errors: boundedList(z.object({ error: z.string(), code: z.number().int(), parameter: z.string().optional() }), { max: 1 }),
});

/** Buttons and scenarios have their own form of error body. The user sees the message. */
export const actionErrorSchema = z.object({ error: z.object({ code: z.number().int(), errorMessage: z.string() }) });

export type ActivationBody = z.infer<typeof activationSchema>;
export type AccessBody = z.infer<typeof accessSchema>;
export type SubscriptionBody = z.infer<typeof subscriptionSchema>;
export type EventBody = z.infer<typeof eventSchema>;
export type InstallationStatus = z.infer<typeof statusSchema>["status"];

type Read<T> = { kind: "read"; body: T } | { kind: "wrong"; parameter: string; problem: string };

/** Checks a parsed body. `parameter` is the path of the first error, such as `access.0.scope`; empty when the body is no object. */
export function readBodyAs<T>(schema: z.ZodType<T>, value: unknown): Read<T> {
  const result = schema.safeParse(value);
  if (result.success) return { kind: "read", body: result.data };
  const [issue] = result.error.issues;
  return { kind: "wrong", parameter: issue?.path.join(".") ?? "", problem: issue?.message ?? "not valid" };
}
