import type { Account, CommittedChange } from "../account/account.ts";
import type { Stored } from "../account/stored.ts";
import type { Call } from "../call/call.ts";
import type { JsonObject } from "../reading/render.ts";
import type { Catalogue } from "../types/catalogue.ts";
import { type DeliveryParts, WebhookDelivery } from "./delivery.ts";
import { notificationsOf } from "./notification.ts";
import { StockWatch } from "./stock-watch.ts";
import { recordOutcome } from "./switch-off.ts";

export interface WebhooksParts extends DeliveryParts {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly base: () => string;
}

/** Watches the account and tells receivers what changed. */
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
    this.#delivery.send(url, body, account.newId(), (delivered) => {
      recordOutcome(webhook, delivered, this.#parts).catch((error: unknown) => log.error({ err: error }, "a webhook's record is lost"));
    });
  }
}
