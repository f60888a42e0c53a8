import type { Clock } from "../../../kernel/clock.ts";
import type { Log } from "../../../kernel/log.ts";
import type { SandboxSettings } from "../settings.ts";

/** One attempt and three more, without a pause; then the notification is dropped for good (seed; 9.2). */
const ATTEMPTS = 4;
/** How long a receiver may take (9.2). */
const ATTEMPT_MS = 1_500;
/** Notifications that wait for one address; more are dropped with a warning, as for a receiver that is gone. */
const MAX_WAITING = 10_000;

const AGENT_SITE = "https://www.platform.example";

export interface DeliveryParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: SandboxSettings;
  readonly fetch: typeof fetch;
}

/** Where a notification goes. */
interface Destination {
  /** As the webhook has it; never logged whole: what proves the platform to the receiver stands in it (D19). */
  readonly url: string;
  /** The webhook's id. */
  readonly webhook: string;
}

interface Waiting {
  readonly to: Destination;
  readonly body: string;
  readonly requestId: string;
  readonly told: (delivered: boolean) => void;
}

/** What became of one attempt. */
type Attempt = "delivered" | "refused" | "late";

/**
 * Brings notifications to their receivers: one queue for each address, so that one slow receiver holds up
 * nobody else (D21). Nothing is kept over a restart: the platform loses events, and so do we.
 */
export class WebhookDelivery {
  readonly #parts: DeliveryParts;
  readonly #queues = new Map<string, { waiting: Waiting[] }>();
  readonly #stop = new AbortController();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Puts one body in the address's queue; `told` hears how it ended. */
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

  /** Ends what is on its way; what waits is forgotten. */
  close(): void {
    this.#stop.abort();
    this.#queues.clear();
  }

  async #drain(url: string, waiting: Waiting[]): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !this.#stop.signal.aborted; next = waiting.shift()) {
      const delivered = await this.#deliver(next);
      // What the end of the sandbox has cut short says nothing of the receiver.
      if (!this.#stop.signal.aborted) next.told(delivered);
    }
    this.#queues.delete(url);
  }

  async #deliver(notification: Waiting): Promise<boolean> {
    for (let attempt = 1; attempt <= ATTEMPTS && !this.#stop.signal.aborted; attempt += 1) {
      const outcome = await this.#attempt(notification);
      if (outcome === "delivered") return true;
      // D20: whether a time-out ends the delivery is not known; a setting offers that reading.
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

/** What a log may have of a receiver: the webhook by which it is found, and its server. */
export function loggedAs({ url, webhook }: Destination): { webhook: string; origin: string | undefined } {
  return { webhook, origin: URL.canParse(url) ? new URL(url).origin : undefined };
}

/** The kind of a failure; its words may repeat the address. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  const causes = [cause, error].flatMap((each) => (each instanceof Error && "code" in each ? [String(each.code)] : []));
  return causes[0] ?? (error instanceof Error ? error.name : "unknown");
}

/** The seed's form of the agent's name; the version is a setting (D1). */
function agentOf(version: string): string {
  return `Platform webhook touch agent ${version} (${AGENT_SITE})`;
}

/** The parameter joins whatever query the address has (9.2). */
export function withRequestId(url: string, requestId: string): string {
  const [address = "", ...fragment] = url.split("#");
  const joined = `${address}${address.includes("?") ? "&" : "?"}requestId=${requestId}`;
  return fragment.length === 0 ? joined : `${joined}#${fragment.join("#")}`;
}
