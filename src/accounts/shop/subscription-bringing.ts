import { withoutQuery } from "../../kernel/address-path.ts";
import { cutText } from "../../kernel/cut-text.ts";
import { PlatformFailure } from "../../platform/api/failure.ts";
import type { PlatformClient } from "../../platform/client.ts";
import { SHOP_TYPES } from "./shop-object.ts";

/** What a webhook watches. */
export interface Pair {
  entityType: string;
  action: string;
}

/** How one pair stands now. */
export interface Settled extends Pair {
  state: "ours" | "taken" | "refused";
  webhookId?: string;
  problem?: string;
}

interface BringingOptions {
  webhooks: PlatformClient["webhooks"];
  /** Its last segment is the installation's secret. */
  address: string;
  /** It was refused a short while ago. */
  isResting(pair: Pair): boolean;
  /** Whether the webhook is one that we made. */
  isKnown(webhookId: string): boolean;
}

/** Which of them a type offers is not documented: one that it does not is refused with 30008, and shown like any refusal. */
const ACTIONS = ["CREATE", "UPDATE", "DELETE"];

/** Every pair that we want to be told of. */
export const WANTED: readonly Pair[] = SHOP_TYPES.flatMap((entityType) => ACTIONS.map((action) => ({ entityType, action })));

/** Json-api 9.1; longer ones are refused with 30010. */
const MAX_ADDRESS_LENGTH = 255;
/** The pair exists already (30003), or there are as many on it as may be (30007): whichever of the two rules the platform has (D18). */
const TAKEN_CODES = [30003, 30007];
/** No administrator (30004), free plan (30006): the next pair would be told the same. */
const EVERY_PAIR_CODES = [30004, 30006];
/** Longest of the platform's words that are kept. */
const MAX_PROBLEM_LENGTH = 500;

const ADDRESS_TOO_LONG = `Адрес уведомлений длиннее ${MAX_ADDRESS_LENGTH} символов. Сократите PUBLIC_URL.`;

type Webhook = Pick<Awaited<ReturnType<PlatformClient["webhooks"]["get"]>>, "meta" | "id" | "entityType" | "action" | "url" | "enabled">;

/**
 * One look at an installation's webhooks, and what puts them right. A webhook is ours when we know its id or its address ends with our
 * secret: a creation whose answer was lost, and an address of an earlier PUBLIC_URL, are found so. Those of others are left alone.
 */
export class Bringing {
  readonly #options: BringingOptions;
  readonly #settled: Settled[] = [];
  readonly #notes: string[] = [];
  /** Said of one pair and true of all. */
  #refusal: string | undefined;

  constructor(options: BringingOptions) {
    this.#options = options;
  }

  /** Pairs whose state was found out, also when `run` has thrown. */
  get settled(): readonly Settled[] {
    return this.#settled;
  }

  /** What was changed at the platform, for the log. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** @throws PlatformFailure when the platform does not answer; a refusal is an answer. */
  async run(): Promise<void> {
    const { address, isResting } = this.#options;
    if (WANTED.every(isResting)) return;
    if (address.length > MAX_ADDRESS_LENGTH) return this.#refuseAll(ADDRESS_TOO_LONG);
    const listed = await refusalOr(() => this.#ours());
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

  async #ours(): Promise<Webhook[]> {
    const { webhooks, address, isKnown } = this.#options;
    const ending = address.slice(address.lastIndexOf("/"));
    const ours: Webhook[] = [];
    for await (const webhook of webhooks.all()) {
      if (isKnown(webhook.id) || withoutQuery(webhook.url ?? "").endsWith(ending)) ours.push(webhook);
    }
    return ours;
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

  /** A second one on the same pair, or one that nobody wants any more. It does no harm until the next time. */
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

  /** The platform may repeat the address that it refuses, and the secret is in it. */
  #wordsOf(failure: PlatformFailure): string {
    const secret = this.#options.address.slice(this.#options.address.lastIndexOf("/") + 1);
    const said = failure.errors.map(({ code, error }) => [code, error].filter((part) => part !== undefined).join(" ")).join("; ");
    return cutText((said === "" ? failure.message : said).replaceAll(secret, "***"), MAX_PROBLEM_LENGTH);
  }
}

export function pairName({ entityType, action }: Pair): string {
  return `${entityType} ${action}`;
}

/** The platform's no is an answer. That it does not answer is passed on, and so is a token that it does not take: that says nothing of webhooks. */
async function refusalOr<T>(work: () => Promise<T>): Promise<{ kind: "done"; value: T } | { kind: "refused"; failure: PlatformFailure }> {
  try {
    return { kind: "done", value: await work() };
  } catch (error) {
    if (error instanceof PlatformFailure && error.code === "platform-refused" && error.status !== 401)
      return { kind: "refused", failure: error };
    throw error;
  }
}
