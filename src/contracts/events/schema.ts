import { z } from "zod";
import { MAX_EVENTS } from "../../accounts/shop/stored-schema.ts";
import { boundedList } from "../../kernel/list-schema.ts";

/**
 * Bodies of notifications (json-api 9.2, 9.5). A body names the changed objects, or a report about stock, but contains no data of them.
 * Unknown fields are ignored. In optional fields null counts as absent.
 */

/** The longest accepted text, in characters. No name or address of the platform is longer. */
const TEXT_LENGTH = 2_000;
const text = () => z.string().max(TEXT_LENGTH);

const eventSchema = z.object({
  meta: z.object({
    type: text().describe("Type of the object; one of which nothing is kept is passed over"),
    href: text().describe("Address of the object"),
  }),
  action: text().describe("CREATE, UPDATE, DELETE or PROCESSED"),
  accountId: text().nullish().describe("An event of another account is passed over"),
});

export const notificationSchema = z.object({
  auditContext: z
    .object({ meta: z.object({ href: text().nullish() }).nullish() })
    .nullish()
    .describe("Who changed it and when; may be missing"),
  events: boundedList(eventSchema, { max: MAX_EVENTS }).describe("Several may come at once"),
});

/**
 * A notification of a stock webhook. This server creates no stock webhooks. But a person may create one with this server's address, and
 * then its notifications need an answer.
 */
const stockNotificationSchema = z.object({ stockType: text(), reportType: text(), reportUrl: text() });

export const errorsSchema = z.object({
  errors: boundedList(z.object({ error: z.string(), code: z.number().int(), parameter: z.string().optional() }), { max: 1 }),
});

export type EventBody = z.infer<typeof eventSchema>;
export type NotificationBody = z.infer<typeof notificationSchema>;

type Read =
  | { kind: "changes"; body: NotificationBody }
  | { kind: "stock" }
  /** `parameter` is the path of the first error, such as `events.0.meta`. It is empty when the body is no object. */
  | { kind: "wrong"; parameter: string; problem: string };

export function readNotification(value: unknown): Read {
  const result = notificationSchema.safeParse(value);
  if (result.success) return { kind: "changes", body: result.data };
  if (stockNotificationSchema.safeParse(value).success) return { kind: "stock" };
  const [issue] = result.error.issues;
  return { kind: "wrong", parameter: issue?.path.join(".") ?? "", problem: issue?.message ?? "not valid" };
}
