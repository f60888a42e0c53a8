import { firstToLose, sumOf } from "./connection/first-to-lose.ts";
import { OrderedObjects } from "./ordered-objects.ts";

/** The room that every body gets in addition to the shared room (`SHARED_BODY_BYTES`): enough for a sale of thirty positions. */
export const SMALL_BODY_BYTES = 16 * 1024;
/**
 * The maximum number of strangers' bodies (`BodySender.known`) that are received at the same time. A sale's body mostly arrives in the same
 * packet as its headers, and a lost packet is sent again within a second. So 256 bodies are enough for 250 new connections a second on the
 * worst line. Without the shared room, a body with its request takes up to 35 KB, and 256 bodies take less than 10 MB. Without this limit
 * each of the 4,096 connections (connections.ts) could send a body, which would double the server's memory.
 */
export const MAX_STRANGERS = 256;
/**
 * The room shared by larger bodies of strangers: eight of the largest size. Larger bodies of known callers share a room of the same size.
 * Honest callers do not send so many at the same time.
 */
export const SHARED_BODY_BYTES = 8 * 1024 * 1024;

export interface BodySender {
  /** The network of the sender's connection. */
  network: string;
  /** True when a caller of this network has proved a request lately. */
  networkProved: boolean;
  /** True when the connection's last request was proved. False: it was not, or there was none; the caller is a stranger. */
  known: boolean;
}

interface Account extends Readonly<BodySender> {
  readonly evict: () => void;
  /** Room taken by this body. Its first `SMALL_BODY_BYTES` are not shared. */
  bytes: number;
}

export interface BodyRoom {
  /** Takes room up to this total of bytes. False: there is not enough room, or the body was dropped. */
  grow(bytes: number): boolean;
  /** Notes that the whole body has arrived. Its sender can no longer hold the room by sending slowly. */
  arrive(): void;
  /** Gives the room back. Safe to repeat. */
  close(): void;
}

/**
 * The room for bodies of unproved requests, for all connections together. Known callers and strangers have separate rooms, so strangers
 * take no room from known callers. When a room is used up, the network whose bodies take the most room loses one body. The bodies of this
 * network are grouped by size, and the group that takes the most room loses its oldest body. So callers that fill the room lose their own
 * bodies, and a body of another network or another size gets room immediately. The network and the group are chosen without regard to the
 * age and the speed of a body: a dishonest caller would begin again, or send just fast enough, to keep its room.
 *
 * The number of strangers' bodies is limited too. A stranger is a caller whose connection has sent no request before, or whose last request
 * was not proved. At the limit, the network that is sending the most bodies loses its oldest body. So a till on a slow line keeps its body,
 * even when another caller sends as many bodies as it can. Behind a proxy all callers may have one address, but such a proxy passes only
 * complete requests on (nginx: `proxy_request_buffering`; HAProxy: `http-buffer-request`, up to 16 KB).
 *
 * While networks without a proved request have more than half of a room, only these networks lose bodies. Without this rule a stranger with
 * one body from each of hundreds of networks would take the places of the platform, whose requests come from few networks. While networks
 * without a proved request have half of a room or less, all networks are treated alike. So a first call from a new network has a place
 * beside a flood from a proved network.
 */
export class BodyBudget {
  /** The bodies, oldest first. */
  readonly #accounts = new OrderedObjects<Account>();
  /** The incomplete bodies of strangers, oldest first. */
  readonly #coming = new OrderedObjects<Account>();
  readonly #sharedBytes = { known: 0, strangers: 0 };

  get heldBytes(): number {
    return [...this.#accounts].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Opens the room of a body. Calls `evict` once if the body must be dropped; its room is then already released. */
  open(evict: () => void, sender: BodySender): BodyRoom {
    const account: Account = { ...sender, evict, bytes: 0 };
    this.#accounts.add(account);
    if (!sender.known) this.#come(account);
    return {
      grow: (bytes) => this.#grow(account, bytes),
      arrive: () => void this.#coming.delete(account),
      close: () => this.#close(account),
    };
  }

  #grow(account: Account, bytes: number): boolean {
    if (!this.#accounts.has(account)) return false;
    const room = roomOf(account);
    const more = sharedOf(bytes) - sharedOf(account.bytes);
    while (more > 0 && this.#sharedBytes[room] + more > SHARED_BODY_BYTES) {
      const oldest = this.#oldestOfMostBytes(account);
      if (oldest === undefined || oldest === account) return false;
      this.#close(oldest);
      oldest.evict();
    }
    this.#sharedBytes[room] += more;
    account.bytes = bytes;
    return true;
  }

  #come(account: Account): void {
    while (this.#coming.size >= MAX_STRANGERS) {
      const oldest = this.#oldestOfMost();
      if (oldest === undefined) break;
      this.#close(oldest);
      oldest.evict();
    }
    this.#coming.add(account);
  }

  /** Returns the oldest incomplete body of the network that is sending the most bodies. Only the networks of `firstToLose` are compared. */
  #oldestOfMost(): Account | undefined {
    const byNetwork = Map.groupBy(
      firstToLose([...this.#coming], () => 1),
      ({ network }) => network,
    );
    const [oldest] = [...byNetwork.values()].reduce((most, each) => (each.length > most.length ? each : most), []);
    return oldest;
  }

  #close(account: Account): void {
    this.#coming.delete(account);
    if (this.#accounts.delete(account)) this.#sharedBytes[roomOf(account)] -= sharedOf(account.bytes);
  }

  /**
   * Finds the network whose bodies take the most of the growing body's room. Only the networks of `firstToLose` are compared. Finds the
   * size group of this network that takes the most of this room. Returns the oldest body of the group.
   */
  #oldestOfMostBytes(growing: Account): Account | undefined {
    const room = roomOf(growing);
    const sharing = [...this.#accounts].filter((account) => roomOf(account) === room && sharedOf(account.bytes) > 0);
    const ofNetwork = withMostBytes(firstToLose(sharing, sharedOfAccount), ({ network }) => network);
    // A body takes the room of its buffer, which grows in large steps (raw-body.ts). So bodies of about the same length are in one group.
    const [oldest] = withMostBytes(ofNetwork, ({ bytes }) => Math.ceil(Math.log2(bytes)));
    return oldest;
  }
}

type Room = "known" | "strangers";

function roomOf({ known }: Account): Room {
  return known ? "known" : "strangers";
}

/** Returns the bodies of the group that takes the most of the shared room. */
function withMostBytes(accounts: readonly Account[], groupOf: (account: Account) => string | number): readonly Account[] {
  let most: { accounts: readonly Account[]; bytes: number } = { accounts: [], bytes: 0 };
  for (const group of Map.groupBy(accounts, groupOf).values()) {
    const bytes = sumOf(group, sharedOfAccount);
    if (bytes > most.bytes) most = { accounts: group, bytes };
  }
  return most.accounts;
}

function sharedOfAccount({ bytes }: Account): number {
  return sharedOf(bytes);
}

function sharedOf(bytes: number): number {
  return Math.max(0, bytes - SMALL_BODY_BYTES);
}
