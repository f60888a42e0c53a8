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
  let waits = 0;
  const onWaiting = () => {
    waits += 1;
  };
  const answers = new UndeliveredAnswers({ clock, provedNetworks: networks, readQueues, onWaiting });
  return {
    clock,
    networks,
    answers,
    asked: () => asked,
    waits: () => waits,
    /** A connection that was sent this many bytes and has taken all but `leftBytes`. */
    sent(bytes: number, leftBytes: number, network = "192.0.2.1"): Delivery {
      const socket = new Socket().on("error", () => {});
      Object.defineProperty(socket, "remoteAddress", { value: network });
      const delivery = answers.open(socket);
      delivery.send(bytes, () => {});
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

  it("let the next answer of their connection wait until they are taken", async () => {
    const { answers, sent, take, waits } = scene();
    const delivery = sent(MAX_UNDELIVERED_BYTES + 1, MAX_UNDELIVERED_BYTES + 1);
    let given = 0;
    delivery.send(7, () => {
      given += 1;
    });
    await answers.look();
    expect([delivery.isFull, given, waits()]).toEqual([true, 0, 1]);
    take(delivery, 10);
    await answers.look();
    expect([delivery.isFull, given]).toEqual([false, 1]);
    expect(delivery.bytes).toBe(10 + 7);
  });

  it("keep their connection with the server until all but a little of them is taken", async () => {
    const { answers, sent, take } = scene();
    const [fresh, late, gone] = [sent(0, 0), sent(100_000, 100_000), sent(100_000, 100_000)];
    const left: string[] = [];
    fresh.leaveTo(() => void left.push("fresh"));
    expect(left).toEqual(["fresh"]);
    late.leaveTo(() => void left.push("late"));
    gone.leaveTo(() => void left.push("gone"));
    await answers.look();
    expect(left).toEqual(["fresh"]);
    gone.socket.destroy();
    for (const delivery of [late, gone]) take(delivery, 1_000);
    await answers.lookForRoom();
    expect(left).toEqual(["fresh", "late"]);
  });

  it("let longer answers of every connection wait when there are more than 32 MiB, but no short ones", async () => {
    const { answers, sent, take } = scene();
    const many = Array.from({ length: 33 }, (_, at) => sent(MEBIBYTE, MEBIBYTE, `192.0.2.${at}`));
    const given: string[] = [];
    const answer = (name: string, bytes: number) => sent(0, 0, "198.51.100.7").send(bytes, () => void given.push(name));
    answer("page", 3_000);
    answer("ready", 100);
    expect(given).toEqual(["ready"]);
    for (const delivery of many) take(delivery, 0);
    await answers.look();
    expect(given).toEqual(["ready", "page"]);
  });

  it("are not given to the system after their connection is closed", async () => {
    const { answers, sent, take } = scene();
    const delivery = sent(MAX_UNDELIVERED_BYTES + 1, MAX_UNDELIVERED_BYTES + 1);
    let given = 0;
    delivery.send(7, () => {
      given += 1;
    });
    delivery.socket.destroy();
    take(delivery, 0);
    await answers.look();
    delivery.giveWaiting(0);
    expect(given).toBe(0);
  });

  it("do not cost the connection of a caller that has proved a request since, whatever the system holds for it", async () => {
    const { answers, clock, sent, take } = scene();
    const [proved, stranger] = [sent(300, 0), sent(300_000, 300_000)];
    await clock.advance(60_000);
    proved.stopCounting();
    proved.send(5_000, () => {});
    take(proved, 5_000);
    await answers.look();
    expect([proved.socket.destroyed, proved.bytes, stranger.socket.destroyed]).toEqual([false, 0, true]);
  });

  it("that were sent while the system was asked do not show that a caller is late", async () => {
    const { answers, clock, sent, take } = scene();
    const delivery = sent(300, 0);
    sent(300_000, 300_000);
    await clock.advance(60_000);
    const looked = answers.look();
    delivery.send(5_000, () => {});
    take(delivery, 5_000);
    await looked;
    expect(delivery.socket.destroyed).toBe(false);
  });

  it("are counted even if they are sent while the system is asked", async () => {
    const { answers, sent } = scene();
    const delivery = sent(MAX_UNDELIVERED_BYTES + 1, 0);
    const looked = answers.look();
    delivery.send(1_000, () => {});
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
    delivery.send(MEBIBYTE, () => {});
    await answers.look();
    expect([delivery.bytes, delivery.isFull]).toEqual([0, false]);
  });
});
