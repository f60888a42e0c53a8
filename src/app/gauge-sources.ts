import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Lanes } from "../operations/lanes.ts";
import { countToldUnsold } from "../payments/attention-queries.ts";
import { countFollowed } from "../payments/payment-queries.ts";
import type { Rack } from "../registers/rack.ts";
import type { Store } from "../store/database.ts";
import type { AgentParts } from "./agents/agents.ts";
import { countUnsentAlerts } from "./alerts/alerts.ts";
import { seenRegisters } from "./seen-registers.ts";

interface GaugedParts {
  store: Store;
  journal: Journal;
  lanes: Lanes;
  rack: Rack;
  clock: Clock;
  agents: AgentParts;
}

/** Returns what the gauges read when Prometheus asks. */
export function sourcesOf({ store, journal, lanes, rack, clock, agents }: GaugedParts) {
  return {
    agents: { connected: () => agents.hub.connected },
    lanes: () => lanes.depths(),
    stopped: () => journal.heads.doubtedRegisters(),
    registers: () => seenRegisters(rack.seen(), clock.nowMs()),
    journal: () => journal.heads.unfinishedCounts(),
    payments: {
      open: () => store.read((db) => countFollowed(db)),
      unsold: () => store.read((db) => countToldUnsold(db)),
    },
    alerts: { unsent: () => countUnsentAlerts(store) },
  };
}
