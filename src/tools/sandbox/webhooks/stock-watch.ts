import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../kernel/clock.ts";
import type { Account, CommittedChange } from "../account/account.ts";
import type { SandboxSettings } from "../settings.ts";
import type { Catalogue } from "../types/entity-type.ts";
import { datetimeText } from "../values/datetime.ts";
import type { JsonObject } from "../values/json.ts";
import type { Stored } from "../values/stored.ts";

/** The time to collect stock changes before a notification. The platform takes 1 to 5 minutes (json-api 9.5). */
const GATHER_MS = 60_000;

interface StockWatchParts {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly base: () => string;
  readonly clock: Clock;
  readonly settings: Pick<SandboxSettings, "plan">;
}

/** Notifies stock webhooks a minute after the first change that moves or reserves goods. */
export class StockWatch {
  readonly #parts: StockWatchParts;
  readonly #send: (url: string, body: JsonObject, webhook: Stored) => void;
  #since: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(parts: StockWatchParts, send: (url: string, body: JsonObject, webhook: Stored) => void) {
    this.#parts = parts;
    this.#send = send;
  }

  /** Starts the minute at the first change that moves or reserves goods. The free plan sends nothing (json-api 9.1, D39). */
  see(changes: readonly CommittedChange[]): void {
    if (this.#parts.settings.plan === "free") return;
    const moved = changes.some((change) => movesGoods(this.#parts.catalogue, change));
    if (!moved || this.#since !== undefined) return;
    this.#since = this.#parts.clock.nowMs();
    this.#cancel = this.#parts.clock.after(GATHER_MS, () => this.#tell());
  }

  close(): void {
    this.#cancel?.();
  }

  #tell(): void {
    const { account, base } = this.#parts;
    const since = this.#since ?? this.#parts.clock.nowMs();
    this.#since = undefined;
    for (const webhook of account.objects.all("webhookstock").values()) {
      const { values } = webhook;
      if (values.enabled !== true) continue;
      const report = `${base()}/api/remap/${String(values.version)}/report/stock/${String(values.reportType)}/current`;
      const query = new URLSearchParams({ changedSince: datetimeText(since), stockType: String(values.stockType) });
      const body = {
        accountId: account.id,
        stockType: String(values.stockType),
        reportType: String(values.reportType),
        reportUrl: `${report}?${query}`,
      };
      this.#send(String(values.url), body, webhook);
    }
  }
}

/**
 * Whether a document changed its warehouse or lines, or began or ceased to count. Customer orders are included, because they reserve goods.
 */
function movesGoods(catalogue: Catalogue, { before, after }: CommittedChange): boolean {
  const stored = after ?? before;
  const type = stored === undefined ? undefined : catalogue.get(stored.type);
  if (type?.document !== true || !("positions" in type.lists)) return false;
  return !isDeepStrictEqual(movementOf(before), movementOf(after));
}

function movementOf(stored: Stored | undefined): unknown {
  if (stored === undefined || stored.values.applicable === false || stored.values.deleted !== undefined) return undefined;
  const { store, positions } = stored.values;
  return { store, positions };
}
