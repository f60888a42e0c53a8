import type { Account, CommittedChange } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import type { Catalogue } from "../types/entity-type.ts";
import { ASYNC_TASK } from "../types/webhooks/webhook.ts";
import type { JsonObject } from "../values/json.ts";
import type { Stored } from "../values/stored.ts";
import { type DeliveryParts, WebhookDelivery } from "./delivery.ts";
import { notificationsOf } from "./notification.ts";
import { StockWatch } from "./stock-watch.ts";
import { recordOutcome } from "./switch-off.ts";

interface WebhooksParts extends DeliveryParts {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly base: () => string;
}

/** Watches the account and notifies receivers of changes. */
export class Webhooks {
  readonly #parts: WebhooksParts;
  readonly #delivery: WebhookDelivery;
  readonly #stock: StockWatch;

  constructor(parts: WebhooksParts) {
    this.#parts = parts;
    this.#delivery = new WebhookDelivery(parts);
    this.#stock = new StockWatch(parts, (url, body, webhook) => this.#send(url, body, webhook));
    parts.account.witness((changes, cause) => this.#tell(changes, cause));
  }

  close(): void {
    this.#stock.close();
    this.#delivery.close();
  }

  /** Notifies webhooks about a task. Tasks are not in the account, so no commit reports them. */
  toldOfTask(task: { readonly id: string }, action: "CREATE" | "UPDATE" | "PROCESSED"): void {
    const { account, base, settings } = this.#parts;
    if (settings.plan === "free") return;
    for (const webhook of account.objects.all("webhook").values()) {
      const { values } = webhook;
      if (values.entityType !== ASYNC_TASK || values.action !== action || values.enabled !== true) continue;
      this.#send(String(values.url), { events: [taskEvent(task.id, action, webhook, account.id, base())] }, webhook);
    }
  }

  #tell(changes: readonly CommittedChange[], cause: Call | undefined): void {
    const { account, catalogue, base, clock, settings } = this.#parts;
    for (const { webhook, body } of notificationsOf(changes, cause, {
      account,
      catalogue,
      base: base(),
      nowMs: clock.nowMs(),
      plan: settings.plan,
    })) {
      this.#send(String(webhook.values.url), body, webhook);
    }
    this.#stock.see(changes);
  }

  #send(url: string, body: JsonObject, webhook: Stored): void {
    const { account, log } = this.#parts;
    this.#delivery.send({ url, webhook: webhook.id }, body, account.passingId(), (delivered) => {
      recordOutcome(webhook, delivered, this.#parts).catch((error: unknown) => log.error({ err: error }, "a webhook's record is lost"));
    });
  }
}

function taskEvent(id: string, action: string, { values }: Stored, accountId: string, base: string): JsonObject {
  return {
    meta: { type: ASYNC_TASK, href: `${base}/api/remap/${String(values.version)}/async/${id}` },
    action,
    accountId,
    ...(values.diffType === "FIELDS" ? { updatedFields: ["state"] } : {}),
  };
}
