import type { AttemptRecord } from "../../../src/agent/record.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import type { WireSocket } from "../../../src/registers/agent/wire/wire-socket.ts";
import type { Life } from "../life.ts";

/** One end of a connection whose process may die at each frame. A dead process sends and receives nothing. */
export function mortalSocket(socket: WireSocket, life: Life): WireSocket {
  return {
    send: (frame) => life.survives("frame out") && socket.send(frame),
    get waitingBytes() {
      return socket.waitingBytes;
    },
    ping() {
      if (life.alive) socket.ping();
    },
    close(code, reason) {
      if (life.alive) socket.close(code, reason);
    },
    terminate() {
      if (life.alive) socket.terminate();
    },
    listen: (listener) =>
      socket.listen({
        frame(text) {
          if (life.survives("frame in")) listener.frame(text);
        },
        alive() {
          if (life.alive) listener.alive();
        },
        closed(code, reason) {
          if (life.alive) listener.closed(code, reason);
        },
      }),
  };
}

/** Methods that change what is on the disk. */
const WRITES = new Set(["storeEpoch", "renewFolder", "storeFence", "begin", "refuse", "forbid", "finish", "cancel", "settle"]);

/** The record of a process that may die before or after each change of the record. */
export function mortalRecord(record: AttemptRecord, life: Life): AttemptRecord {
  return new Proxy(record, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        const isWrite = typeof name === "string" && WRITES.has(name);
        // A dead process must change nothing. Nobody sees what the process does with this failure.
        if (isWrite && !life.survives(`record ${name}`)) throw new Failure("record-failed", "fault", "the process is dead");
        const result: unknown = Reflect.apply(value, target, given);
        if (isWrite) life.survives(`record ${name} done`);
        return result;
      };
    },
  });
}
