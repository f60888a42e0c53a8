import type { Delivery } from "./channel.ts";

/** A message about a condition that begins or ends. It contains no data of buyers. */
export interface AlertMessage {
  /** When the condition began or ended: ISO 8601, UTC. */
  at: string;
  kind: string;
  state: "begins" | "ends";
  account: string | null;
  store: string | null;
  register: string | null;
  /** The subject of the e-mail: the first line of the text. */
  subject: string;
  text: string;
}

/** A channel for alerts. The methods never reject, and end within ten seconds. */
export interface AlertChannel {
  readonly name: string;
  /** `email`: the address of an owner. Absent: the message is for the operator. `no-address`: the channel cannot reach this receiver. */
  send(message: AlertMessage, email?: string): Promise<Delivery>;
  /** Tests the channel without a message, for `doctor`. Undefined: no problem was found. */
  problem(): Promise<string | undefined>;
  close(): void;
}
