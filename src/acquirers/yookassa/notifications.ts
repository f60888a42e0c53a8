import { BlockList, isIP } from "node:net";
import { present } from "../../kernel/present.ts";
import type { BankNotification, NotificationReading } from "../acquirer.ts";
import { readBankJson } from "../bank-json.ts";
import { notificationSchema } from "./schema.ts";

/** The longest notification (qr-acquirers 9). */
const MAX_BYTES = 64 * 1024;

/** Networks that YooKassa sends from (qr-acquirers 3.6). */
const NETWORKS: readonly (readonly [address: string, prefix: number])[] = [
  ["185.71.76.0", 27],
  ["185.71.77.0", 27],
  ["77.75.153.0", 25],
  ["77.75.154.128", 25],
  ["77.75.156.11", 32],
  ["77.75.156.35", 32],
  ["2a02:5180::", 32],
];

const LOOPBACK: readonly (readonly [address: string, prefix: number])[] = [
  ["127.0.0.0", 8],
  ["::1", 128],
];

const OF_PAYMENT = /^payment\./;
const OF_REFUND = /^refund\./;

/** Reads a notification. It has no signature: only the source address proves it. */
export function readNotification({ body, source, loopbackAllowed }: BankNotification): NotificationReading {
  if (body.length > MAX_BYTES) return { kind: "not-genuine", reason: `more than ${MAX_BYTES} bytes` };
  const json = readBankJson(body);
  if (json.kind === "unreadable") return { kind: "not-genuine", reason: json.problem };
  const read = notificationSchema.safeParse(json.members);
  if (!read.success) return { kind: "not-genuine", reason: "not a notification as documented" };
  const { event, object } = read.data;
  const proved = isWithin(source, NETWORKS) || (loopbackAllowed && isWithin(source, LOOPBACK));
  const paymentId = object.metadata?.payment_id;
  if (OF_PAYMENT.test(event)) return { kind: "payment", proved, bankId: object.id, status: object.status, ...present({ paymentId }) };
  if (OF_REFUND.test(event) && object.payment_id !== undefined) {
    return { kind: "payment", proved, bankId: object.payment_id, status: event };
  }
  return { kind: "other", what: event };
}

/** YooKassa repeats a notification for a day until the answer is 200. A forged notification gets the same answer. */
export function answerTo(): { status: number; body: string } {
  return { status: 200, body: "" };
}

/** True for an address in one of the networks. An IPv4 address may come as IPv6: `::ffff:185.71.76.1`. */
function isWithin(source: string, networks: typeof NETWORKS): boolean {
  const version = isIP(source);
  if (version === 0) return false;
  const list = new BlockList();
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, isIP(address) === 6 ? "ipv6" : "ipv4");
  return list.check(source, version === 6 ? "ipv6" : "ipv4");
}
