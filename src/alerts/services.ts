import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { OnlyHere } from "../kernel/rounds.ts";
import type { AlertChannel } from "../messages/alert-channel.ts";
import type { Store } from "../store/database.ts";
import type { AlertPlace, Findings } from "./condition.ts";

/** `none`: the owner wants no messages. `unreadable`: the settings cannot be read now, so the address is unknown. */
export type OwnerAddress = { kind: "address"; email: string } | { kind: "none" } | { kind: "unreadable" };

export interface AlertServices {
  store: Pick<Store, "read" | "commit">;
  clock: Clock;
  log: Log;
  find(): Promise<Findings>;
  /** Tells whether this process may do the work now. Absent: this is the only process. */
  onlyHere?: OnlyHere;
  /** Channels to the operator, tried in this order. Empty: the operator gets no messages. */
  operator: readonly AlertChannel[];
  /** The channel to owners. Absent: owners get no messages, even if their settings ask for them. */
  owner?: AlertChannel;
  addressOf(place: AlertPlace): Promise<OwnerAddress>;
  /** The name of a point of sale at the platform. Undefined: unknown. */
  shopNameOf(place: AlertPlace): Promise<string | undefined>;
  publicUrl?: string;
  /** Hides secrets and addresses in the text of a failure. */
  withoutSecrets(text: string): string;
  observe(kind: string, audience: string, outcome: "sent" | "failed"): void;
}
