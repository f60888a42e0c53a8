import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";

/** A receiver answers 200 or 204 within this time, before it does anything: later is a failed attempt (9.2). */
export const ANSWER_WITHIN_MS = 1_500;

/** More than a notification brings by far. */
const MAX_EVENTS = 8_000;
const MAX_FIELDS = 1_000;

const event = z.looseObject({
  meta: z.looseObject({ type: z.string(), href: z.string() }),
  action: z.string(),
  accountId: z.string().optional(),
  /** Only of an UPDATE with `diffType` FIELDS. */
  updatedFields: boundedList(z.string(), { max: MAX_FIELDS }).optional(),
});

/** Body of a notification that objects have changed (9.2). Events can be lost and repeated, and tell nothing but where to look. */
export const notificationSchema = z.looseObject({
  auditContext: z
    .looseObject({
      meta: z.looseObject({ type: z.string(), href: z.string() }).optional(),
      uid: z.string().optional(),
      moment: z.string().optional(),
    })
    .nullish(),
  events: boundedList(event, { max: MAX_EVENTS }),
});
export type Notification = z.infer<typeof notificationSchema>;
export type NotificationEvent = Notification["events"][number];

/** Body of a notification that stock has changed (9.5): the address of the short report of what has. */
export const stockNotificationSchema = z.looseObject({
  accountId: z.string(),
  stockType: z.string(),
  reportType: z.string(),
  reportUrl: z.string(),
});
export type StockNotification = z.infer<typeof stockNotificationSchema>;
