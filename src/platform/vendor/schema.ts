import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import type { Catalogue } from "../entities/catalogue.ts";
import type { Read } from "../entities/read.ts";

/** What is missing, null or of another form than documented is left out: people read it, nothing is decided by it. */
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

/** One JSON API is granted, with one scope. */
const MAX_ACCESS = 100;
/** Things that there are rights to: some hundred types of objects. */
const MAX_MEMBERS = 2_000;

/** A record of a hundred thousand members is none of the platform's, and would be walked member by member. */
function recordOf<Member extends z.ZodType>(member: Member) {
  return z.preprocess((value) => (hasFewMembers(value) ? value : undefined), z.record(z.string(), member));
}

function hasFewMembers(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length <= MAX_MEMBERS;
}

/** A token that should come here would be left out. */
const access = z.object({
  resource: z.string(),
  /** One scope is written without brackets in a part of the documents. */
  scope: z.union([boundedList(z.string(), { max: MAX_ACCESS }), z.string().transform((only) => [only])]),
  permissions: recordOf(z.unknown()).optional().catch(undefined),
});

/** How the platform sees an installation (platform-contracts 3.6, 3.8). The lists of statuses and causes are open. */
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

/** An employee as the context by key tells them (platform-contracts 3.9): what the JSON API tells, and what they may do. */
export const contextEmployeeSchema = z.looseObject({
  id: z.string().min(1),
  accountId: z.string().min(1),
  permissions: recordOf(permission.optional().catch(undefined)).optional().catch(undefined),
});
export type ContextEmployee = Partial<Read<Catalogue["employee"]["fields"]>> & {
  readonly id: string;
  readonly accountId: string;
  /** By thing and action, `ALL` among the values: `permissions.product.view`. */
  readonly permissions?: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
};

/** Who a one-time token stands for (platform-contracts 3.9). */
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
