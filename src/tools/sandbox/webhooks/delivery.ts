import type { Clock } from "../../../kernel/clock.ts";
import type { Log } from "../../../kernel/log.ts";
import type { SandboxSettings } from "../settings.ts";

/** The number of attempts, without pauses between them. After the last attempt the notification is dropped (json-api 9.2). */
const ATTEMPTS = 4;
/** The time for a receiver's answer (json-api 9.2). */
const ATTEMPT_MS = 1_500;
/** The maximum number of waiting notifications for one URL. More are dropped with a warning, because the receiver is too slow. */
const MAX_WAITING = 10_000;

const AGENT_SITE = "https://www.platform.example";

export interface DeliveryParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: SandboxSettings;
  readonly fetch: typeof fetch;
}

interface Destination {
  /** The webhook's URL. It is never logged whole, because it may contain the receiver's secret (json-api D19). */
  readonly url: string;
  readonly webhook: string;
}

interface Waiting {
  readonly to: Destination;
  readonly body: string;
  readonly requestId: string;
  readonly told: (delivered: boolean) => void;
}

type Attempt = "delivered" | "refused" | "late";

/**
 * Sends notifications. Each URL has its own queue, so a slow receiver delays no other receiver (json-api D21). A restart loses the queues,
 * as the platform loses events, too.
 */
export class WebhookDelivery {
  readonly #parts: DeliveryParts;
  readonly #queues = new Map<string, { waiting: Waiting[] }>();
  readonly #stop = new AbortController();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Queues one body and calls `told` with the result. `told` is not called if the queue is full or the sandbox ends. */
  send(to: Destination, body: object, requestId: string, told: (delivered: boolean) => void = () => {}): void {
    if (this.#stop.signal.aborted) return;
    const queue = this.#queues.get(to.url);
    const notification = { to, body: JSON.stringify(body), requestId, told };
    if (queue === undefined) {
      const started = { waiting: [notification] };
      this.#queues.set(to.url, started);
      void this.#drain(to.url, started.waiting);
    } else if (queue.waiting.length < MAX_WAITING) {
      queue.waiting.push(notification);
    } else {
      this.#parts.log.warn({ ...loggedAs(to), limit: MAX_WAITING }, "a webhook's receiver is too slow: a notification is dropped");
    }
  }

  /** Aborts running attempts and drops waiting notifications. */
  close(): void {
    this.#stop.abort();
    this.#queues.clear();
  }

  async #drain(url: string, waiting: Waiting[]): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !this.#stop.signal.aborted; next = waiting.shift()) {
      const delivered = await this.#deliver(next);
      // An attempt that the end of the sandbox aborted says nothing about the receiver.
      if (!this.#stop.signal.aborted) next.told(delivered);
    }
    this.#queues.delete(url);
  }

  async #deliver(notification: Waiting): Promise<boolean> {
    for (let attempt = 1; attempt <= ATTEMPTS && !this.#stop.signal.aborted; attempt += 1) {
      const outcome = await this.#attempt(notification);
      if (outcome === "delivered") return true;
      // json-api D20 leaves open whether a time-out ends the delivery, so a setting decides.
      if (outcome === "late" && this.#parts.settings.webhookTimeout === "drop") break;
    }
    this.#parts.log.warn(loggedAs(notification.to), "a webhook's notification is dropped");
    return false;
  }

  async #attempt({ to, body, requestId }: Waiting): Promise<Attempt> {
    const { clock, log, settings } = this.#parts;
    const late = new AbortController();
    const cancel = clock.after(ATTEMPT_MS, () => late.abort());
    try {
      const response = await this.#parts.fetch(withRequestId(to.url, requestId), {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/json", "user-agent": agentOf(settings.webhookAgent) },
        body,
        signal: AbortSignal.any([late.signal, this.#stop.signal]),
      });
      await response.body?.cancel();
      return response.status === 200 || response.status === 204 ? "delivered" : "refused";
    } catch (error) {
      log.debug({ ...loggedAs(to), reason: reasonOf(error) }, "a webhook's receiver did not answer");
      return late.signal.aborted ? "late" : "refused";
    } finally {
      cancel();
    }
  }
}

/** Returns what a log may contain about a receiver: the webhook's id and the origin of its URL. */
export function loggedAs({ url, webhook }: Destination): { webhook: string; origin: string | undefined } {
  return { webhook, origin: URL.canParse(url) ? new URL(url).origin : undefined };
}

/** Returns the kind of a failure, because an error message may contain the URL. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  const causes = [cause, error].flatMap((each) => (each instanceof Error && "code" in each ? [String(each.code)] : []));
  return causes[0] ?? (error instanceof Error ? error.name : "unknown");
}

/** Returns the `User-Agent` header. A setting gives the version (json-api D1). */
function agentOf(version: string): string {
  return `Platform webhook touch agent ${version} (${AGENT_SITE})`;
}

/** Adds the query parameter `requestId` to the URL (json-api 9.2). */
export function withRequestId(url: string, requestId: string): string {
  const [address = "", ...fragment] = url.split("#");
  const joined = `${address}${address.includes("?") ? "&" : "?"}requestId=${requestId}`;
  return fragment.length === 0 ? joined : `${joined}#${fragment.join("#")}`;
}
