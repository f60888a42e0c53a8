import { cutText } from "../../kernel/cut-text.ts";
import { withoutQuery } from "../../kernel/web-address.ts";
import { PlatformFailure } from "../../platform/api/failure.ts";
import type { PlatformClient } from "../../platform/client.ts";
import { SHOP_TYPES } from "./shop-object.ts";

/** What a webhook watches: one type of object and one action. */
export interface Pair {
  entityType: string;
  action: string;
}

export interface Settled extends Pair {
  state: "ours" | "taken" | "refused";
  webhookId?: string;
  problem?: string;
}

interface RoundOptions {
  webhooks: PlatformClient["webhooks"];
  /** The address to notify. Its last segment is the installation's secret. */
  address: string;
  /** True when the pair was refused recently, so that it is not tried now. */
  isResting(pair: Pair): boolean;
  isKnown(webhookId: string): boolean;
}

/**
 * The platform does not document which actions a type has. For an action that the type lacks the platform answers 30008, and this refusal
 * is shown like any refusal.
 */
const ACTIONS = ["CREATE", "UPDATE", "DELETE"];

export const WANTED: readonly Pair[] = SHOP_TYPES.flatMap((entityType) => ACTIONS.map((action) => ({ entityType, action })));

/** The platform refuses longer addresses with 30010 (json-api 9.1). */
const MAX_ADDRESS_LENGTH = 255;
/** 30003: the pair exists. 30007: the pair has as many webhooks as allowed. It is unknown which rule the platform applies (D18). */
const TAKEN_CODES = [30003, 30007];
/** The caller is no administrator (30004), or the plan is free (30006). Every other pair would be refused too. */
const EVERY_PAIR_CODES = [30004, 30006];
const MAX_PROBLEM_LENGTH = 500;

const ADDRESS_TOO_LONG = `Адрес уведомлений длиннее ${MAX_ADDRESS_LENGTH} символов. Сократите PUBLIC_URL.`;

type Webhook = Pick<Awaited<ReturnType<PlatformClient["webhooks"]["get"]>>, "meta" | "id" | "entityType" | "action" | "url" | "enabled">;

/**
 * One round that corrects an installation's webhooks. A webhook belongs to this server when its id is stored, or when its address ends with
 * the installation's secret. The secret finds a webhook whose creation was not answered, and a webhook with the address of an earlier
 * PUBLIC_URL. Other webhooks are not touched.
 */
export class SubscriptionRound {
  readonly #options: RoundOptions;
  readonly #settled: Settled[] = [];
  readonly #notes: string[] = [];
  /** A refusal of one pair that applies to all pairs. */
  #refusal: string | undefined;

  constructor(options: RoundOptions) {
    this.#options = options;
  }

  /** The pairs whose state this round has found, refused pairs included. After an error: the pairs found before it. */
  get settled(): readonly Settled[] {
    return this.#settled;
  }

  /** Changes made at the platform, and failed deletions, for the log. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** @throws PlatformFailure when the platform does not answer or rejects the token. Any other refusal is in `settled` or in `notes`. */
  async run(): Promise<void> {
    const { address, isResting } = this.#options;
    if (WANTED.every(isResting)) return;
    if (address.length > MAX_ADDRESS_LENGTH) return this.#refuseAll(ADDRESS_TOO_LONG);
    const listed = await refusalOr(() => this.#ownWebhooks());
    if (listed.kind === "refused") return this.#refuseAll(this.#wordsOf(listed.failure));
    const surplus = new Set(listed.value);
    for (const pair of WANTED) {
      const webhook = listed.value.find(({ entityType, action }) => entityType === pair.entityType && action === pair.action);
      if (webhook !== undefined) surplus.delete(webhook);
      if (webhook !== undefined && this.#isRight(webhook)) this.#settle(pair, { state: "ours", webhookId: webhook.id });
      else if (!isResting(pair)) await this.#putRight(pair, webhook);
    }
    for (const webhook of surplus) await this.#delete(webhook);
  }

  async #ownWebhooks(): Promise<Webhook[]> {
    const { webhooks, address, isKnown } = this.#options;
    const ending = address.slice(address.lastIndexOf("/"));
    const own: Webhook[] = [];
    for await (const webhook of webhooks.all()) {
      if (isKnown(webhook.id) || withoutQuery(webhook.url ?? "").endsWith(ending)) own.push(webhook);
    }
    return own;
  }

  #isRight({ url, enabled }: Webhook): boolean {
    return url === this.#options.address && enabled !== false;
  }

  async #putRight(pair: Pair, webhook: Webhook | undefined): Promise<void> {
    const { webhooks, address } = this.#options;
    const known = webhook === undefined ? {} : { webhookId: webhook.id };
    if (this.#refusal !== undefined) return this.#settle(pair, { state: "refused", problem: this.#refusal, ...known });
    const outcome = await refusalOr(() =>
      webhook === undefined ? webhooks.create({ ...pair, url: address }) : webhooks.update(webhook, { url: address, enabled: true }),
    );
    if (outcome.kind === "done") {
      this.#notes.push(`${webhook === undefined ? "made" : "changed"} ${pairName(pair)}`);
      return this.#settle(pair, { state: "ours", webhookId: outcome.value.id });
    }
    const { failure } = outcome;
    const problem = this.#wordsOf(failure);
    if (EVERY_PAIR_CODES.some((code) => failure.has(code))) this.#refusal = problem;
    this.#settle(pair, { state: TAKEN_CODES.some((code) => failure.has(code)) ? "taken" : "refused", problem, ...known });
  }

  /**
   * Deletes a second webhook of a pair, or an unwanted webhook. After a failure the next round tries again; until then the webhook is
   * harmless.
   */
  async #delete(webhook: Webhook): Promise<void> {
    const outcome = await refusalOr(() => this.#options.webhooks.delete(webhook));
    const name = pairName({ entityType: webhook.entityType ?? "", action: webhook.action ?? "" });
    this.#notes.push(outcome.kind === "done" ? `deleted ${name}` : `not deleted ${name}: ${this.#wordsOf(outcome.failure)}`);
  }

  #refuseAll(problem: string): void {
    for (const pair of WANTED) this.#settle(pair, { state: "refused", problem });
  }

  #settle({ entityType, action }: Pair, now: Omit<Settled, keyof Pair>): void {
    this.#settled.push({ entityType, action, ...now });
  }

  /** Returns the platform's words without the secret: the platform may quote the refused address. */
  #wordsOf(failure: PlatformFailure): string {
    const secret = this.#options.address.slice(this.#options.address.lastIndexOf("/") + 1);
    const said = failure.errors.map(({ code, error }) => [code, error].filter((part) => part !== undefined).join(" ")).join("; ");
    return cutText((said === "" ? failure.message : said).replaceAll(secret, "***"), MAX_PROBLEM_LENGTH);
  }
}

export function pairName({ entityType, action }: Pair): string {
  return `${entityType} ${action}`;
}

/**
 * Returns a refusal of the platform as a value. Throws when the platform does not answer or rejects the token: the webhooks are then
 * unknown.
 */
async function refusalOr<T>(work: () => Promise<T>): Promise<{ kind: "done"; value: T } | { kind: "refused"; failure: PlatformFailure }> {
  try {
    return { kind: "done", value: await work() };
  } catch (error) {
    if (error instanceof PlatformFailure && error.code === "platform-refused" && error.status !== 401)
      return { kind: "refused", failure: error };
    throw error;
  }
}
