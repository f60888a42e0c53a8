import { connect, type Socket } from "node:net";
import { systemClock } from "../../../src/kernel/clock.ts";

/** The attacked server, with the ids that anybody may know: they are seen by many people and are no secrets. */
export interface AttackTarget {
  port: number;
  /** The account id of an active installation. */
  registrationId: string;
  appId: string;
}

/** A way to keep a server busy that needs no key. */
export interface Attack {
  name: string;
  /** A short description for the table of attacks. */
  about: string;
  /** The number of open connections. A connection that is closed is opened again at once. */
  connections: number;
  /** The number of addresses from which the connections come. Absent: all come from one. */
  addresses?: number;
  /** What each connection does once it is open. */
  live(socket: Socket, target: AttackTarget): void;
}

/** The counts of an attack so far. */
export interface AttackCount {
  opened: number;
  refused: number;
  closed: number;
  answers: number;
  bytesIn: number;
}

/** The pause before a failed connection is tried again. Without it, a full backlog would make the attacker itself loop. */
const RETRY_MS = 20;

/** Attacks until this process ends. */
export function attack({ connections, addresses = 1, live }: Attack, target: AttackTarget): AttackCount {
  const count: AttackCount = { opened: 0, refused: 0, closed: 0, answers: 0, bytesIn: 0 };
  let tried = 0;
  const open = () => {
    const localAddress = addresses === 1 ? "127.0.0.1" : strangeAddress(tried % addresses);
    tried += 1;
    const socket = connect({ port: target.port, host: "127.0.0.1", localAddress });
    let stood = false;
    socket.once("connect", () => {
      stood = true;
      count.opened += 1;
      live(socket, target);
    });
    socket.on("answers", (answers: number, bytes: number) => {
      count.answers += answers;
      count.bytesIn += bytes;
    });
    socket.once("error", () => socket.destroy());
    socket.once("close", () => {
      if (stood) count.closed += 1;
      else count.refused += 1;
      if (stood) setImmediate(open);
      else systemClock.after(RETRY_MS, open);
    });
  };
  for (let opened = 0; opened < connections; opened += 1) open();
  return count;
}

/** An address of this machine from which nobody else calls. */
function strangeAddress(number: number): string {
  return `127.7.${Math.floor(number / 250)}.${1 + (number % 250)}`;
}

const STATUS_LINE = Buffer.from("HTTP/1.1 ");

/** Reads and counts answers. `each` is called whenever an answer begins. */
export function reading(socket: Socket, each: () => void = () => {}): void {
  socket.on("end", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    let answers = 0;
    for (let at = chunk.indexOf(STATUS_LINE); at !== -1; at = chunk.indexOf(STATUS_LINE, at + 1)) answers += 1;
    socket.emit("answers", answers, chunk.length);
    for (let answer = 0; answer < answers; answer += 1) each();
  });
}

/** Sends the next request on the same connection as soon as an answer comes. */
export function asking(socket: Socket, request: () => string | Buffer): void {
  const ask = () => void socket.write(request());
  reading(socket, ask);
  ask();
}

/** Writes without an end, as fast as the server reads. */
export function pouring(socket: Socket, bytes: Buffer): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", pour);
  pour();
}

/** The bytes of a request. */
export function requestOf(line: string, headers: Record<string, string | number> = {}, body: string | Buffer = ""): Buffer {
  const head = [`${line} HTTP/1.1`, "Host: a", ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""];
  return Buffer.concat([Buffer.from(head.join("\r\n")), Buffer.from(body)]);
}
