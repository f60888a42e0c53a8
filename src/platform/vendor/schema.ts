import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import type { Catalogue } from "../entities/catalogue.ts";
import type { Read } from "../entities/read.ts";

/** A value that is missing, null or of an undocumented form is left out. Only people read these values. */
const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

const subscription = z.object({
  tariffId: text,
  tariffName: text,
  trial: flag,
  /** RFC 3339. */
  expiryMoment: text,
  notForResale: flag,
  partner: flag,
});

/** The maximum number of grants. One JSON API is granted, with one scope. */
const MAX_ACCESS = 100;
/** The maximum number of members in a record of rights. The platform has about a hundred types of objects. */
const MAX_MEMBERS = 2_000;

/** A record with at most `MAX_MEMBERS` members. A larger record is not from the platform, and checking its members would take long. */
function recordOf<Member extends z.ZodType>(member: Member) {
  return z.preprocess((value) => (hasFewMembers(value) ? value : undefined), z.record(z.string(), member));
}

function hasFewMembers(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length <= MAX_MEMBERS;
}

/** The schema drops an access token, if the body has one. */
const access = z.object({
  resource: z.string(),
  /** Some of the platform's documents write a single scope without brackets. */
  scope: z.union([boundedList(z.string(), { max: MAX_ACCESS }), z.string().transform((only) => [only])]),
  permissions: recordOf(z.unknown()).optional().catch(undefined),
});

/** The platform's state of an installation (platform-contracts 3.6, 3.8). Other statuses and causes may come. */
export const statusBodySchema = z.object({
  status: z.string().min(1),
  cause: text,
  subscription: subscription.optional().catch(undefined),
  access: boundedList(access, { max: MAX_ACCESS }).optional().catch(undefined),
});
type KnownStatus =
  | "Activating"
  | "ActivationFailed"
  | "SettingsRequired"
  | "Activated"
  | "Deactivating"
  | "DeactivationFailed"
  | "Suspended";
type KnownCause = "Install" | "Uninstall" | "Suspend" | "Resume";
export type StatusBody = Omit<z.infer<typeof statusBodySchema>, "status" | "cause"> & {
  readonly status: KnownStatus | (string & {});
  readonly cause?: KnownCause | (string & {}) | undefined;
};

const permission = recordOf(z.unknown());

/** An employee in the answer to a context key (platform-contracts 3.9): the JSON API's fields and the permissions. */
export const contextEmployeeSchema = z.looseObject({
  id: z.string().min(1),
  accountId: z.string().min(1),
  permissions: recordOf(permission.optional().catch(undefined)).optional().catch(undefined),
});
export type ContextEmployee = Partial<Read<Catalogue["employee"]["fields"]>> & {
  readonly id: string;
  readonly accountId: string;
  /** By object type and action, with `ALL` among the values: `permissions.product.view`. */
  readonly permissions?: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
};

/** The user that a one-time token identifies (platform-contracts 3.9). */
export const contextUserSchema = z.object({
  accountId: z.string().min(1),
  userId: z.string().min(1),
  /** The login. */
  userUid: z.string().min(1),
  role: z.string().min(1),
});
export type ContextUser = Omit<z.infer<typeof contextUserSchema>, "role"> & {
  readonly role: "admin" | "cashier" | "worker" | "individual" | (string & {});
};
