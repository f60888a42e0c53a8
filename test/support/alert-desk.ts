import { onTestFinished } from "vitest";
import { Alerts, type UnsentAlert, unsentMessages } from "../../src/alerts/alerts.ts";
import type { Condition, Findings } from "../../src/alerts/condition.ts";
import type { AlertServices, OwnerAddress } from "../../src/alerts/services.ts";
import { withoutSecrets } from "../../src/kernel/redaction/secret-texts.ts";
import { parseAlertChannels } from "../../src/messages/setting.ts";
import type { Store } from "../../src/store/database.ts";
import { keptLog, type LogLine } from "./http-server.ts";
import type { VirtualClock } from "./virtual-clock.ts";

interface DeskOptions {
  store: Store;
  clock: VirtualClock;
  /** The value of ALERT_CHANNEL. */
  channel: string;
  /** The setting `alertEmail` of every point of sale. */
  email?: string | undefined;
  shop?: string;
  find?: AlertServices["find"];
}

/** One process that sends alerts. The test states which conditions hold, unless the process has a finder of its own. */
export class AlertDesk {
  readonly alerts: Alerts;
  readonly lines: LogLine[];
  readonly outcomes: string[] = [];
  readonly #store: Store;
  /** The conditions that hold now. Undefined: they cannot be found out. */
  conditions: readonly Condition[] | undefined = [];
  email: string | undefined;
  /** Whether the settings of points of sale can be read. */
  isReadable = true;

  constructor({ store, clock, channel, email, shop = "Пекарня", find }: DeskOptions) {
    const parsed = parseAlertChannels(channel);
    if (parsed.kind === "invalid") throw new Error(parsed.problem);
    const { log, lines } = keptLog();
    const operator = parsed.operator.map((open) => open(clock));
    const owner = parsed.owner?.(clock);
    this.lines = lines;
    this.email = email;
    this.#store = store;
    this.alerts = new Alerts({
      store,
      clock,
      log,
      find: find ?? (async () => this.#findings()),
      operator,
      ...(owner === undefined ? {} : { owner }),
      addressOf: async () => this.#address(),
      shopNameOf: async () => shop,
      withoutSecrets,
      observe: (kind, audience, outcome) => void this.outcomes.push(`${kind} ${audience} ${outcome}`),
    });
    onTestFinished(() => {
      for (const one of [...operator, owner]) one?.close();
    });
  }

  unsent(): Promise<UnsentAlert[]> {
    return unsentMessages(this.#store, 100);
  }

  #address(): OwnerAddress {
    if (!this.isReadable) return { kind: "unreadable" };
    return this.email === undefined ? { kind: "none" } : { kind: "address", email: this.email };
  }

  #findings(): Findings {
    return { standing: this.conditions ?? [], canTell: () => this.conditions !== undefined };
  }
}
