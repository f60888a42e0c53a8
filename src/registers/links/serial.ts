import { statSync } from "node:fs";
import { SerialPort } from "serialport";
import type { Clock } from "../../kernel/clock.ts";
import { type Deadline, deadlineIn, earlier, waitUntil } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { Inbox } from "./inbox.ts";
import type { Link, Opened, Received, Sent } from "./link.ts";

export interface SerialPlace {
  /** For example `/dev/ttyUSB0` or `COM3`. */
  path: string;
  baud: number;
}

/** A serial port: eight bits, no parity, one stop bit, no flow control (shtrih-protocol 1.1), held exclusively. */
export class SerialLink implements Link {
  readonly name: string;
  readonly #place: SerialPlace;
  readonly #clock: Clock;
  readonly #ports: PortNames;
  #port: SerialPort | undefined;
  /** The device number that the port's file had before the opening. Undefined on Windows: see `nodeAt`. */
  #node: number | undefined;
  #inbox: Inbox;
  /** Resolves when the library has closed the port, for any reason. */
  #closed: Promise<void> = Promise.resolve();

  /** `ports`: lists the existing ports, for the message when this port is missing. */
  constructor(place: SerialPlace, clock: Clock, ports: PortNames = async () => undefined) {
    this.#ports = ports;
    this.name = place.path;
    this.#place = place;
    this.#clock = clock;
    this.#inbox = new Inbox(clock);
    this.#inbox.end(NOT_OPENED);
  }

  get isOpen(): boolean {
    return this.#inbox.lost === undefined;
  }

  async open(deadline: Deadline): Promise<Opened> {
    if (this.isOpen) return { kind: "open" };
    await this.close();
    const node = nodeAt(this.#place.path);
    const inbox = new Inbox(this.#clock);
    const port = this.#make(inbox);
    const closed = new Promise<void>((resolve) => {
      port.once("close", () => resolve());
    });
    const waited = await waitUntil(
      this.#clock,
      deadline,
      ended((done) => port.open(done)),
    );
    if (waited.kind === "late") {
      // A port that opens after the deadline is closed again.
      port.once("open", () => port.close());
      return { kind: "shut", reason: `порт ${this.name} не открывается` };
    }
    if (waited.value !== undefined) return { kind: "shut", reason: await this.#refusalOf(waited.value, deadline) };
    // Drops bytes that the system may have buffered while no process had the port open.
    await ended((done) => port.flush(done));
    this.#port = port;
    this.#inbox = inbox;
    this.#closed = closed;
    this.#node = node;
    if (this.#hasGone()) {
      await this.close();
      return { kind: "shut", reason: this.#gone };
    }
    return { kind: "open" };
  }

  async write(bytes: Uint8Array, deadline: Deadline): Promise<Sent> {
    const port = this.#port;
    if (this.#inbox.lost !== undefined || port === undefined) return { kind: "lost", reason: this.#inbox.lost ?? NOT_OPENED, left: false };
    return this.#sent(deadline, (done) => port.write(Buffer.from(bytes), done));
  }

  async drain(deadline: Deadline): Promise<Sent> {
    const port = this.#port;
    if (this.#inbox.lost !== undefined || port === undefined) return { kind: "lost", reason: this.#inbox.lost ?? NOT_OPENED, left: true };
    return this.#sent(deadline, (done) => port.drain(done));
  }

  async read(deadline: Deadline): Promise<Received> {
    const received = await this.#inbox.take(deadline);
    if (received.kind === "silence" && this.#hasGone()) {
      this.#inbox.end(this.#gone);
      return this.#inbox.take(deadline);
    }
    return received;
  }

  async close(): Promise<void> {
    const port = this.#port;
    this.#port = undefined;
    this.#inbox.end("порт закрыт");
    if (port?.isOpen === true) await ended((done) => port.close(done));
  }

  /**
   * Whether the port's name now belongs to a different device or to none. Always false on Windows. The library does not notice when a port
   * disappears during its opening, and would wait for ever for bytes.
   */
  #hasGone(): boolean {
    return this.isOpen && nodeAt(this.#place.path) !== this.#node;
  }

  get #gone(): string {
    return `порт ${this.name} пропал: кабель отключён`;
  }

  #make(inbox: Inbox): SerialPort {
    const port = new SerialPort({
      path: this.#place.path,
      baudRate: this.#place.baud,
      dataBits: 8,
      parity: "none",
      stopBits: 1,
      rtscts: false,
      xon: false,
      xoff: false,
      lock: true,
      autoOpen: false,
    });
    inbox.fedBy(port);
    port.on("data", (bytes: Buffer) => {
      if (!inbox.put(bytes)) inbox.end("касса шлёт данные без конца");
    });
    port.on("error", (error) => inbox.end(this.#wordsOf(error)));
    port.on("close", () => inbox.end(this.#gone));
    return port;
  }

  /** Runs a call of the library. Stops waiting when the port closes, because the library never answers a call on a closing port. */
  async #sent(deadline: Deadline, start: (done: Done) => void): Promise<Sent> {
    const inbox = this.#inbox;
    const closed = this.#closed.then(() => new Error(CLOSED));
    const waited = await waitUntil(this.#clock, deadline, Promise.race([ended(start), closed]));
    if (waited.kind === "finished" && waited.value === undefined) return { kind: "sent" };
    inbox.end(waited.kind === "late" ? `порт ${this.name} не принимает данные` : this.#wordsOf(waited.value));
    return { kind: "lost", reason: inbox.lost ?? NOT_OPENED, left: true };
  }

  /** Returns why the port does not open. For a missing port the text names the existing ports, so that an operator can correct the name. */
  async #refusalOf(error: Error, deadline: Deadline): Promise<string> {
    const words = this.#wordsOf(error);
    if (!MISSING.test(error.message)) return words;
    const listed = await waitUntil(this.#clock, earlier(deadline, deadlineIn(this.#clock, LISTING_MS)), this.#ports());
    const names = listed.kind === "finished" ? listed.value : undefined;
    if (names === undefined) return words;
    if (names.length === 0) return `${words}. Других портов нет`;
    const more = names.length > MAX_NAMES ? ` и ещё ${names.length - MAX_NAMES}` : "";
    return `${words}. Есть: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
  }

  #wordsOf(error: Error | undefined): string {
    const message = error?.message ?? "";
    const words = WORDS.find(([pattern]) => pattern.test(message))?.[1];
    return words === undefined ? `порт ${this.name}: ${message}` : `порт ${this.name} ${words}`;
  }
}

/** Returns the device number behind the name. Undefined: there is none, or this is Windows, where the check would open the port. */
function nodeAt(path: string): number | undefined {
  if (process.platform === "win32") return undefined;
  try {
    return statSync(path).rdev;
  } catch {
    // The port's file or its folder is gone. The opening of the port or `#hasGone` reports this.
    return undefined;
  }
}

/** Returns the library's port list. Rejects when the library cannot list the ports. Not used on Linux: see `serial-ports`. */
export async function listByLibrary(): Promise<{ path: string; maker?: string; serial?: string }[]> {
  const ports = await SerialPort.list();
  return ports.map(({ path, manufacturer, serialNumber }) => ({
    path,
    ...present({ maker: manufacturer, serial: serialNumber }),
  }));
}

/** Returns the names of this machine's ports. Undefined: the system cannot list them. Never rejects. */
type PortNames = () => Promise<string[] | undefined>;

/** How long the listing of ports may take. On Linux it only reads files; other systems start a tool. */
const LISTING_MS = 1_000;
/** How many port names fit into a message. */
const MAX_NAMES = 5;
const MISSING = /no such file|file not found/i;

const NOT_OPENED = "порт не открыт";
const CLOSED = "the port is closed";

const WORDS: [RegExp, string][] = [
  [/i\/o error|no such device|device not configured|operation aborted|the port is closed/i, "пропал: кабель отключён"],
  [/cannot lock port|resource busy|access denied/i, "занят другой программой"],
  [MISSING, "не найден: кабель не подключён, или имя указано неверно"],
  [/permission denied/i, "недоступен: нет прав на него"],
  [/inappropriate ioctl|not a typewriter/i, "не последовательный"],
  [/baud/i, "не работает на такой скорости"],
];

type Done = (error?: Error | null) => void;

/** Converts a callback into a promise of its error. Undefined: success. */
function ended(start: (done: Done) => void): Promise<Error | undefined> {
  return new Promise((resolve) => {
    try {
      start((error) => resolve(error ?? undefined));
    } catch (error) {
      resolve(error instanceof Error ? error : new Error(messageOf(error)));
    }
  });
}
