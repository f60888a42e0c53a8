import { cutText } from "../kernel/cut-text.ts";
import type { AlertChannel, AlertMessage } from "../messages/alert-channel.ts";
import type { Delivery } from "../messages/channel.ts";
import type { AlertRow } from "../store/alert-tables.ts";
import { changeAlert, deleteAlert } from "./alert-queries.ts";
import type { AlertState } from "./condition.ts";
import { type AlertStanding, claimed, failed, isDue, sent } from "./decision.ts";
import { placeOf, standingOf, withStanding } from "./rows.ts";
import type { AlertServices } from "./services.ts";
import { subjectOf } from "./words.ts";

/** The maximum number of messages that a round tries or skips. Further messages wait for the next round. */
const MAX_TRIED = 50;
/** After this many failures in a row an audience gets no more messages in this round, because its channels probably fail. */
const MAX_FAILURES = 3;
const MAX_PROBLEM_LENGTH = 300;

export class AlertSender {
  readonly #services: AlertServices;

  constructor(services: AlertServices) {
    this.#services = services;
  }

  /** Sends due messages, in the order in which they became due, within `MAX_TRIED` and `MAX_FAILURES`. */
  async sendDue(rows: readonly AlertRow[]): Promise<void> {
    const { clock } = this.#services;
    const failures = new Map<string, number>();
    const due = rows.filter((row) => isDue(standingOf(row), clock.nowMs()));
    due.sort((one, other) => (one.next_try_at_ms ?? one.owed_since_ms ?? 0) - (other.next_try_at_ms ?? other.owed_since_ms ?? 0));
    for (const row of due.slice(0, MAX_TRIED)) {
      const before = failures.get(row.audience) ?? 0;
      if (before >= MAX_FAILURES) continue;
      const outcome = await this.#send(row);
      failures.set(row.audience, outcome === "failed" ? before + 1 : 0);
    }
  }

  /**
   * Claims the row for this process, sends the message and stores the outcome. `no-address`: the message has no receiver, and the row is
   * deleted. `taken`: another process has changed the row.
   */
  async #send(row: AlertRow): Promise<Delivery["kind"] | "taken"> {
    const { store, clock } = this.#services;
    const standing = standingOf(row);
    const { owed } = standing;
    if (owed === undefined) return "taken";
    const mine = await this.#change(row, claimed(standing, clock.nowMs()));
    if (mine === undefined) return "taken";
    const delivery = await this.#deliver(mine, owed);
    if (delivery.kind === "no-address") await store.commit((tx) => deleteAlert(tx, mine));
    else await this.#ended(mine, delivery, owed);
    return delivery.kind;
  }

  async #ended(row: AlertRow, delivery: Exclude<Delivery, { kind: "no-address" }>, owed: AlertState): Promise<void> {
    const { clock, log, observe, withoutSecrets } = this.#services;
    const { audience, kind, subject, register } = row;
    const told = { audience, kind, subject, state: owed, accountId: row.account_id, storeId: row.store_id, register };
    const nowMs = clock.nowMs();
    observe(kind, audience, delivery.kind);
    if (delivery.kind === "sent") {
      await this.#change(row, sent(standingOf(row), nowMs));
      log.info(told, "an alert was sent");
      return;
    }
    const problem = cutText(withoutSecrets(delivery.problem), MAX_PROBLEM_LENGTH);
    await this.#change(row, failed(standingOf(row), problem, nowMs));
    log.error({ ...told, attempts: row.attempts + 1, problem }, "an alert could not be sent; it is tried again");
  }

  async #deliver(row: AlertRow, owed: AlertState): Promise<Delivery> {
    const message = messageOf(row, owed);
    if (row.audience === "operator") return first(this.#services.operator, message);
    const { owner, addressOf } = this.#services;
    const place = placeOf(row);
    if (owner === undefined || place === undefined) return { kind: "no-address" };
    const address = await addressOf(place);
    switch (address.kind) {
      case "address":
        return owner.send(message, address.email);
      case "none":
        return { kind: "no-address" };
      case "unreadable":
        return { kind: "failed", problem: "the settings of the point of sale cannot be read" };
    }
  }

  /** Returns the changed row. Undefined: the row was changed or deleted after it was read. */
  async #change(row: AlertRow, standing: AlertStanding): Promise<AlertRow | undefined> {
    const after = withStanding(row, standing);
    const changed = await this.#services.store.commit((tx) => changeAlert(tx, row, after));
    return changed ? { ...after, version: row.version + 1 } : undefined;
  }
}

function messageOf(row: AlertRow, state: AlertState): AlertMessage {
  const text = state === "begins" ? row.begins_text : row.ends_text;
  return {
    at: new Date(row.owed_since_ms ?? row.changed_at_ms).toISOString(),
    kind: row.kind,
    state,
    account: row.account_id,
    store: row.store_id,
    register: row.register,
    subject: subjectOf(text),
    text,
  };
}

/** Tries the channels in order until one has sent the message. Otherwise returns the last failure, or `no-address`. */
async function first(channels: readonly AlertChannel[], message: AlertMessage): Promise<Delivery> {
  let last: Delivery = { kind: "no-address" };
  for (const channel of channels) {
    const delivery = await channel.send(message);
    if (delivery.kind === "sent") return delivery;
    if (delivery.kind === "failed") last = delivery;
  }
  return last;
}
