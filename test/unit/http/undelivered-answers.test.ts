import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { type Delivery, MAX_UNDELIVERED_BYTES, UndeliveredAnswers } from "../../../src/http/connection/undelivered-answers.ts";
import { ProvedNetworks } from "../../../src/http/proved-networks.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const MEBIBYTE = 1024 * 1024;

/** Connections from networks, and a system that holds as many bytes of each as a test says. */
function scene() {
  const clock = new VirtualClock(0);
  const networks = new ProvedNetworks();
  const left = new Map<unknown, number>();
  let asked = 0;
  const readQueues = async () => {
    asked += 1;
    return { bytesOf: (socket: object) => left.get(socket) ?? 0 };
  };
  const answers = new UndeliveredAnswers({ clock, provedNetworks: networks, readQueues });
  return {
    clock,
    networks,
    answers,
    asked: () => asked,
    /** A connection that was sent this many bytes and has taken all but `leftBytes`. */
    sent(bytes: number, leftBytes: number, network = "192.0.2.1"): Delivery {
      const socket = new Socket().on("error", () => {});
      Object.defineProperty(socket, "remoteAddress", { value: network });
      const delivery = answers.open(socket);
      delivery.send(bytes);
      left.set(socket, leftBytes);
      return delivery;
    },
    take: ({ socket }: Delivery, leftBytes: number) => void left.set(socket, leftBytes),
  };
}

describe("answers that strangers have not taken", () => {
  it("are asked for only when there are many, a connection is full, or one waits to be closed", async () => {
    const { answers, asked, sent } = scene();
    const small = sent(100_000, 100_000);
    await answers.look();
    expect(asked()).toBe(0);
    small.isEnded = true;
    await answers.look();
    expect(asked()).toBe(1);
    small.isEnded = false;
    const full = sent(MAX_UNDELIVERED_BYTES + 1, 0);
    await answers.look();
    expect([asked(), full.isFull]).toEqual([2, false]);
    for (let each = 0; each < 40; each += 1) sent(120_000, 0);
    await answers.look();
    expect(asked()).toBe(3);
  });

  it("keep their connection from being read until they are taken", async () => {
    const { answers, sent, take } = scene();
    const delivery = sent(MAX_UNDELIVERED_BYTES + 1, MAX_UNDELIVERED_BYTES + 1);
    let rooms = 0;
    delivery.onRoom = () => {
      rooms += 1;
    };
    await answers.look();
    expect([delivery.isFull, rooms]).toEqual([true, 0]);
    take(delivery, 10);
    await answers.look();
    expect([delivery.isFull, rooms]).toEqual([false, 1]);
    expect(delivery.bytes).toBe(10);
  });

  it("are counted even if they are sent while the system is asked", async () => {
    const { answers, sent } = scene();
    const delivery = sent(MAX_UNDELIVERED_BYTES + 1, 0);
    const looked = answers.look();
    delivery.send(1_000);
    await looked;
    expect(delivery.bytes).toBe(1_000);
  });

  it("are asked for once at a time", async () => {
    const { answers, asked, sent } = scene();
    sent(MAX_UNDELIVERED_BYTES + 1, 0);
    const looked = answers.look();
    expect(await answers.look()).toBeUndefined();
    expect(await looked).toBe(0);
    expect(asked()).toBe(1);
  });

  it("cost the connection of a caller that takes nothing for twenty seconds, but not of one that takes a little", async () => {
    const { answers, clock, sent, take } = scene();
    const [silent, slow] = [sent(300_000, 300_000), sent(300_000, 300_000)];
    for (let second = 1; second <= 60; second += 1) {
      await clock.advance(1_000);
      take(slow, 300_000 - second * 100);
      await answers.look();
      expect([second, silent.socket.destroyed, slow.socket.destroyed]).toEqual([second, second >= 20, false]);
    }
  });

  it("of a connection that the server has ended are waited for", async () => {
    const { answers, sent, take } = scene();
    const delivery = sent(100_000, 100_000);
    delivery.isEnded = true;
    await answers.look();
    expect(delivery.socket.destroyed).toBe(false);
    take(delivery, 1);
    await answers.look();
    expect(delivery.socket.destroyed).toBe(true);
  });

  it("cost connections when there are more than 32 MiB: those of the network with the most, the oldest first", async () => {
    const { answers, clock, sent } = scene();
    const honest = sent(MEBIBYTE, MEBIBYTE, "198.51.100.7");
    const many: Delivery[] = [];
    for (let each = 0; each < 40; each += 1) {
      await clock.advance(1);
      many.push(sent(MEBIBYTE, MEBIBYTE));
    }
    expect(await answers.look()).toBe(9);
    expect(many.map(({ socket }) => socket.destroyed)).toEqual(many.map((_, at) => at < 9));
    expect(honest.socket.destroyed).toBe(false);
  });

  it("of networks with a proved request are spared while others hold more than half", async () => {
    const { answers, networks, sent } = scene();
    networks.note("198.51.100.7");
    const known = Array.from({ length: 10 }, () => sent(MEBIBYTE, MEBIBYTE, "198.51.100.7"));
    const strange = Array.from({ length: 30 }, (_, at) => sent(MEBIBYTE, MEBIBYTE, `192.0.2.${at}`));
    expect(await answers.look()).toBe(8);
    expect(known.filter(({ socket }) => socket.destroyed)).toHaveLength(0);
    expect(strange.filter(({ socket }) => socket.destroyed)).toHaveLength(8);
  });

  it("count as taken where the system does not tell", async () => {
    const clock = new VirtualClock(0);
    const answers = new UndeliveredAnswers({ clock, provedNetworks: new ProvedNetworks(), readQueues: async () => undefined });
    const delivery = answers.open(new Socket());
    delivery.send(MEBIBYTE);
    await answers.look();
    expect([delivery.bytes, delivery.isFull]).toEqual([0, false]);
  });
});
