import { type Attack, reading, requestOf } from "./attack.ts";

/** Connections that are kept, and that send little or nothing. */
export const KEPT_ATTACKS: readonly Attack[] = [
  {
    name: "silent",
    about: "opens more connections than the server takes and says nothing",
    connections: 6_000,
    live: (socket) => reading(socket),
  },
  {
    name: "idle",
    about: "asks once on thousands of connections, and keeps them",
    connections: 2_000,
    live(socket) {
      reading(socket);
      socket.write(requestOf("GET /health"));
    },
  },
  {
    name: "kept-after-long-paths",
    about: "asks once with a name of 15 KiB on as many connections as stay open, and keeps them",
    connections: 4_050,
    live(socket) {
      reading(socket);
      socket.write(requestOf(`GET /docs/${"x".repeat(15_000)}`));
    },
  },
];
