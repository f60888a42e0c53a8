/** What is sent to a person. The code never stands in a log, a list or a metric. */
export interface CodeMessage {
  /** E.164. */
  phone?: string;
  email?: string;
  /** What the code proves: `customer` or `spending`. */
  purpose: string;
  code: string;
  /** The message with the code, as the person reads it. */
  text: string;
}

export type Delivery =
  /** The message has left: the next station has taken it. */
  | { kind: "sent" }
  /** This person has no address that the channel reaches: no phone, or no e-mail address. */
  | { kind: "no-address" }
  /** `problem`: for the log, without the message. The message may have arrived. */
  | { kind: "failed"; problem: string };

/** A way in which messages travel. Never rejects, and ends within `SEND_LIMIT_MS`. */
export interface MessageChannel {
  readonly name: string;
  send(message: CodeMessage): Promise<Delivery>;
  /** Whether the channel would work, without a message; undefined: yes. For doctor. */
  problem(): Promise<string | undefined>;
  close(): void;
}

/** Longest time for one message by one channel: the cashier and the buyer wait (loyalty-model 11). */
export const SEND_LIMIT_MS = 3_000;

/** Sends by the first channel that works, in their order. `none`: there is no channel, or none that reaches this person. */
export async function sendByFirst(channels: readonly MessageChannel[], message: CodeMessage): Promise<Delivery & { channel?: string }> {
  let last: Delivery = { kind: "no-address" };
  for (const channel of channels) {
    const delivery = await channel.send(message);
    if (delivery.kind === "sent") return { ...delivery, channel: channel.name };
    if (delivery.kind === "failed") last = delivery;
  }
  return last;
}
