import type { Account, CommittedChange } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import type { Catalogue } from "../types/catalogue.ts";
import { type DeliveryParts, WebhookDelivery } from "./delivery.ts";
import { notificationsOf } from "./notification.ts";
import { StockWatch } from "./stock-watch.ts";

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
    this.#stock = new StockWatch(parts, (url, body) => this.#delivery.send(url, body, parts.account.newId()));
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
      this.#delivery.send(String(webhook.values.url), body, account.newId());
    }
    this.#stock.see(changes);
  }
}
