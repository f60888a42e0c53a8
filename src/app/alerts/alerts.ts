import { countUnsent } from "../../alerts/alert-queries.ts";
import { Alerts, type UnsentAlert, unsentMessages } from "../../alerts/alerts.ts";
import type { AlertPlace } from "../../alerts/condition.ts";
import { type ConditionSources, findConditions } from "../../alerts/conditions.ts";
import type { OwnerAddress } from "../../alerts/services.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { present } from "../../kernel/present.ts";
import { withoutSecrets } from "../../kernel/redaction/secret-texts.ts";
import type { Once } from "../../kernel/rounds.ts";
import type { Store } from "../../store/database.ts";
import type { Accounts } from "../accounts.ts";
import type { Config } from "../config.ts";
import type { Metrics, SeenRegister } from "../metrics.ts";
import type { Shop } from "../shop.ts";
import { operatorChannelsIn, ownerChannelIn } from "./channels.ts";

export interface AlertParts {
  alerts: Alerts;
  unsent(limit: number): Promise<UnsentAlert[]>;
  close(): Promise<void>;
}

interface AlertNeeds {
  config: Pick<Config, "alertChannel" | "codeChannel" | "publicUrl">;
  store: Store;
  accounts: Pick<Accounts, "settings">;
  journal: Journal;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  registers(): SeenRegister[];
  /** The registers of the other processes. Absent: this is the only process. */
  others?(): Promise<ReturnType<ConditionSources["registers"]>>;
  once?: Once;
  shop: Pick<Shop, "storeNameOf">;
}

export function composeAlerts(needs: AlertNeeds): AlertParts {
  const { config, store, journal, clock, log, metrics, registers, shop } = needs;
  const operator = operatorChannelsIn(config, clock);
  const owner = ownerChannelIn(config, clock);
  const alerts = new Alerts({
    store,
    clock,
    log,
    find: async () => {
      const others = (await needs.others?.()) ?? [];
      return findConditions({ store, journal, registers: () => [...registers(), ...others], clock });
    },
    ...present({ onlyHere: needs.once?.("alerts") }),
    operator,
    ...present({ owner, publicUrl: config.publicUrl }),
    addressOf: (place) => addressOf(needs, place),
    shopNameOf: ({ storeId, ...key }) => shop.storeNameOf(key, storeId),
    withoutSecrets,
    observe: (kind, audience, outcome) => metrics.alerts.observe(kind, audience, outcome),
  });
  return {
    alerts,
    unsent: (limit) => unsentMessages(store, limit),
    async close() {
      await alerts.close();
      for (const channel of operator) channel.close();
      owner?.close();
    },
  };
}

/** Unsent messages by audience, for the metrics. */
export function countUnsentAlerts(store: Store): Promise<{ audience: string; count: number }[]> {
  return store.read((db) => countUnsent(db));
}

/** If a point of sale's settings cannot be read, only the messages to its owner wait. */
async function addressOf({ accounts }: AlertNeeds, { appId, accountId, storeId }: AlertPlace): Promise<OwnerAddress> {
  try {
    const { alertEmail } = await accounts.settings.of(appId, accountId, storeId);
    return alertEmail === undefined ? { kind: "none" } : { kind: "address", email: alertEmail };
  } catch (error) {
    if (error instanceof Failure && UNREADABLE.has(error.code)) return { kind: "unreadable" };
    throw error;
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(["seal-key", "seal-broken", "setting-unreadable"]);
