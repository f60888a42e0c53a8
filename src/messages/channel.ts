/** A message with a verification code. The code must never appear in a log, list or metric. */
export interface CodeMessage {
  /** E.164. */
  phone?: string;
  email?: string;
  /** The purpose of the code: `customer` or `spending`. */
  purpose: string;
  code: string;
  /** The message with the code, for the person. */
  text: string;
}

export type Delivery =
  /** The mail server, the provider or the file has accepted the message. */
  | { kind: "sent" }
  /** The person has no address for this channel: no phone, or no e-mail. */
  | { kind: "no-address" }
  /** `problem`: for the log, without the message. The message may have arrived. */
  | { kind: "failed"; problem: string };

/** A channel for codes. The methods never reject. Over a network, `send` ends within `SEND_LIMIT_MS`. */
export interface MessageChannel {
  readonly name: string;
  send(message: CodeMessage): Promise<Delivery>;
  /** Tests the channel without a message, for `doctor`. Undefined: no problem was found. */
  problem(): Promise<string | undefined>;
  close(): void;
}

/** The longest time for one message by one channel. Cashier and buyer wait meanwhile (loyalty-model 11). */
export const SEND_LIMIT_MS = 3_000;

/** Tries the channels in order until one has sent the message. Otherwise returns the last failure, or `no-address` if none failed. */
export async function sendByFirst(channels: readonly MessageChannel[], message: CodeMessage): Promise<Delivery & { channel?: string }> {
  let last: Delivery = { kind: "no-address" };
  for (const channel of channels) {
    const delivery = await channel.send(message);
    if (delivery.kind === "sent") return { ...delivery, channel: channel.name };
    if (delivery.kind === "failed") last = delivery;
  }
  return last;
}
