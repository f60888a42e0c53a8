import { entity } from "./entity-type.ts";
import { bool, choice, kind, text, uuid } from "./field.ts";
import type { Ref } from "./meta.ts";

/**
 * Wishes to be told of changes (reference 9.1). For the administrator alone. Whether the pair of type and action or the triple
 * with the address is unique, the client does not assume (D18): 30003 says that it is taken.
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

/** Wishes to be told that stock has changed (reference 9.5). */
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
