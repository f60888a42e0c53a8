import { connect, type Socket } from "node:net";
import { systemClock } from "../../../src/kernel/clock.ts";

/** What is attacked, and what anybody may know of it: the ids go through many hands and are no keys. */
export interface AttackTarget {
  port: number;
  /** Account id of an installation that is active. */
  registrationId: string;
  appId: string;
}

/** One way to keep a server busy that needs no key. */
export interface Attack {
  name: string;
  /** What it does, in a few words: a row of the table. */
  about: string;
  /** How many connections it holds open; one that is closed is opened again at once. */
  connections: number;
  /** What each connection does once it stands. */
  live(socket: Socket, target: AttackTarget): void;
}

/** What an attack has come to so far. */
export interface AttackCount {
  opened: number;
  refused: number;
  closed: number;
  answers: number;
  bytesIn: number;
}

/** Pause before a connection that could not be made is tried again: a full backlog must not become a loop of ours. */
const RETRY_MS = 20;

/** Attacks until the process ends. */
export function attack({ connections, live }: Attack, target: AttackTarget): AttackCount {
  const count: AttackCount = { opened: 0, refused: 0, closed: 0, answers: 0, bytesIn: 0 };
  const open = () => {
    const socket = connect(target.port, "127.0.0.1");
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

const STATUS_LINE = Buffer.from("HTTP/1.1 ");

/** Reads and counts answers; `each` is called for every one that has begun. */
export function reading(socket: Socket, each: () => void = () => {}): void {
  socket.on("end", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    let answers = 0;
    for (let at = chunk.indexOf(STATUS_LINE); at !== -1; at = chunk.indexOf(STATUS_LINE, at + 1)) answers += 1;
    socket.emit("answers", answers, chunk.length);
    for (let answer = 0; answer < answers; answer += 1) each();
  });
}

/** Asks again as soon as it is answered, on the same connection. */
export function asking(socket: Socket, request: () => string | Buffer): void {
  const ask = () => void socket.write(request());
  reading(socket, ask);
  ask();
}

/** Writes as fast as it is taken, without an end. */
export function pouring(socket: Socket, bytes: Buffer): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", pour);
  pour();
}

/** A request as text. */
export function requestOf(line: string, headers: Record<string, string | number> = {}, body: string | Buffer = ""): Buffer {
  const head = [`${line} HTTP/1.1`, "Host: a", ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""];
  return Buffer.concat([Buffer.from(head.join("\r\n")), Buffer.from(body)]);
}
