import type { Socket } from "node:net";
import { CallerConnection } from "../../src/http/caller-connection.ts";
import { Delivery } from "../../src/http/connection/undelivered-answers.ts";
import { ParseOrder } from "../../src/http/parse-order.ts";
import { type Clock, systemClock } from "../../src/kernel/clock.ts";

/** A connection without a server that decides about it. */
export function callerConnection(socket: Socket, clock: Clock): CallerConnection {
  return new CallerConnection(socket, {
    parseOrder: new ParseOrder(systemClock),
    clock,
    noteUnread: () => {},
    closeDelayMs: () => 0,
    park: () => {},
    delivery: new Delivery(socket, (delivery) => delivery.giveWaiting(clock.monotonicMs())),
    leave: (delivery) => void delivery.socket.destroy(),
  });
}
