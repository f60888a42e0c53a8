import { entity } from "./entity-type.ts";
import { bool, choice, kind, text, uuid } from "./field.ts";
import type { Ref } from "./meta.ts";

/**
 * Webhooks for changes of objects (json-api 9.1), for the administrator only. It is unknown which members must be unique: type and action,
 * or also the address (D18). In both cases the client takes the error 30003 to mean that the webhook exists.
 */
export const WEBHOOK = entity({
  name: "webhook",
  fields: {
    accountId: uuid("readOnly"),
    action: choice<"CREATE" | "UPDATE" | "DELETE" | "PROCESSED">()("required"),
    authorApplication: kind<Ref>()("readOnly"),
    diffType: choice<"NONE" | "FIELDS">()("kept"),
    enabled: bool("kept"),
    entityType: text("required"),
    method: choice<"POST">()("kept"),
    url: text("required"),
  },
  keys: {},
  order: [],
  lists: {},
});

/** Webhooks for changes of stock (json-api 9.5). */
export const WEBHOOK_STOCK = entity({
  name: "webhookstock",
  fields: {
    accountId: uuid("readOnly"),
    authorApplication: kind<Ref>()("readOnly"),
    enabled: bool("kept"),
    reportType: choice<"all" | "bystore">()("required"),
    stockType: choice<"stock">()("required"),
    url: text("required"),
  },
  keys: {},
  order: [],
  lists: {},
});
