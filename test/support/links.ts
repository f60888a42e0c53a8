import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../src/kernel/deadline.ts";
import type { Link } from "../../src/registers/links/link.ts";
import { SerialLink } from "../../src/registers/links/serial.ts";
import { listenTcp, TcpLink } from "../../src/registers/links/tcp.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { MemoryPort } from "./memory-link.ts";

/** A kind of link that the conformance suite runs on. */
export interface LinkKind {
  title: string;
  /** Why this kind cannot be used on this machine. */
  missing?: string;
  make(): Promise<TestCable>;
}

/** A cable between a link under test and a device that the test plays. */
export interface TestCable {
  /** The driver's side of the cable, not open yet. */
  near: Link;
  /** Opens the driver's side and returns both sides. */
  join(): Promise<{ near: Link; far: Link }>;
  /** Pulls the cable out. Both sides lose the connection, and none can be opened. */
  cut(): Promise<void>;
  /** Puts the cable back. */
  mend(): Promise<void>;
  drop(): Promise<void>;
}

/** A time that no test reaches unless a call hangs. */
export const LONG_MS = 20_000;

export function within(ms: number = LONG_MS): Deadline {
  return deadlineIn(systemClock, ms);
}

const memory: LinkKind = {
  title: "memory",
  async make() {
    let far: Link | undefined;
    const port = new MemoryPort({ clock: systemClock }, (end) => {
      far = end;
    });
    const near = port.link();
    return {
      near,
      async join() {
        await near.open();
        return { near, far: present(far) };
      },
      async cut() {
        port.refuse("кабель вынут");
        near.cut("кабель вынут");
      },
      async mend() {
        port.refuse(undefined);
      },
      drop: () => near.close(),
    };
  },
};

const tcp: LinkKind = {
  title: "TCP",
  async make() {
    const accepted: Link[] = [];
    let arrived = () => {};
    const listen = (port: number) =>
      listenTcp({ host: "127.0.0.1", port }, systemClock, (end) => {
        accepted.push(end);
        arrived();
      });
    let listener = await listen(await freePort());
    const near = new TcpLink(listener.place, systemClock);
    return {
      near,
      async join() {
        const arrival = new Promise<void>((resolve) => {
          arrived = resolve;
        });
        await near.open(within());
        await arrival;
        return { near, far: present(accepted.at(-1)) };
      },
      cut: () => listener.close(),
      async mend() {
        listener = await listen(listener.place.port);
      },
      async drop() {
        await near.close();
        await listener.close();
      },
    };
  },
};

const socatMissing = spawnSync("socat", ["-V"]).error === undefined ? undefined : "socat is not installed";

const serial: LinkKind = {
  title: "a serial port",
  ...(socatMissing === undefined ? {} : { missing: socatMissing }),
  async make() {
    let pair = await ptyPair();
    const near = new SerialLink({ path: pair.near, baud: 115_200 }, systemClock);
    let far = new SerialLink({ path: pair.far, baud: 115_200 }, systemClock);
    return {
      near,
      async join() {
        far = new SerialLink({ path: pair.far, baud: 115_200 }, systemClock);
        const opened = [await far.open(within()), await near.open(within())];
        if (opened.some(({ kind }) => kind !== "open")) throw new Error(`the pair does not open: ${JSON.stringify(opened)}`);
        return { near, far };
      },
      cut: () => pair.end(),
      async mend() {
        pair = await ptyPair(pair.folder);
      },
      async drop() {
        await near.close();
        await far.close();
        await pair.end();
        rmSync(pair.folder, { recursive: true });
      },
    };
  },
};

export const LINK_KINDS: readonly LinkKind[] = [memory, tcp, serial];

/** Runs a suite on one kind of link. Where the machine lacks it the suite is skipped with the reason, but with REQUIRE_ALL=1 it fails. */
export function describeLink(what: string, { title, missing }: LinkKind, suite: () => void): void {
  const skipped = missing !== undefined && process.env.REQUIRE_ALL !== "1";
  describe.skipIf(skipped)(`${what} over ${title}${skipped ? ` (skipped: ${missing})` : ""}`, suite);
}

/** The kind of link for tests of serial ports only. */
export const SERIAL = serial;

/** Two pseudo-terminals joined by socat. `end` removes them, like a pulled cable. */
export interface PtyPair {
  folder: string;
  near: string;
  far: string;
  end(): Promise<void>;
}

export async function ptyPair(folder = mkdtempSync(join(tmpdir(), "pty-"))): Promise<PtyPair> {
  const [near, far] = [join(folder, "near"), join(folder, "far")];
  const options = (path: string) => `PTY,rawer,link=${path}`;
  const socat = spawn("socat", [options(near), options(far)], { stdio: ["ignore", "ignore", "inherit"] });
  await appear(socat, [near, far]);
  return {
    folder,
    near,
    far,
    async end() {
      if (socat.exitCode !== null || socat.signalCode !== null) return;
      const ended = new Promise((resolve) => {
        socat.once("exit", resolve);
      });
      socat.kill();
      await ended;
    },
  };
}

/** How long socat may take to make its terminals, and how often they are looked for, ms. */
const APPEAR_MS = 15_000;
const LOOK_MS = 10;

async function appear(socat: ChildProcess, paths: readonly string[]): Promise<void> {
  const deadline = within(APPEAR_MS);
  while (!paths.every((path) => existsSync(path))) {
    if (deadline.remainingMs() <= 0 || socat.exitCode !== null) throw new Error("socat makes no pseudo-terminals");
    await pause(systemClock, LOOK_MS);
  }
}

function present(link: Link | undefined): Link {
  if (link === undefined) throw new Error("nobody came to the far end");
  return link;
}
