import type { Clock } from "../../src/kernel/clock.ts";
import { MemoryPort } from "../../src/registers/links/memory.ts";
import { Connection } from "../../src/registers/shtrih-m/connection.ts";
import { ShtrihFront } from "../../src/registers/shtrih-m/device/front.ts";
import { PERSONALITIES, type PersonalityName } from "../../src/registers/shtrih-m/device/personality.ts";
import { Printer } from "../../src/registers/shtrih-m/device/printer.ts";
import { RegisterMemory } from "../../src/registers/shtrih-m/device/register-memory.ts";
import { ShtrihRegister } from "../../src/registers/shtrih-m/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { type Bench, sameChance, ZONE } from "./registers.ts";

/** A driver and the byte-level device on one cable in memory. */
export interface ShtrihBench extends Bench {
  register: ShtrihRegister;
  front: ShtrihFront;
  port: MemoryPort;
  /** Bytes that have gone over the cable, both ways. */
  carried(): number;
}

export interface ShtrihBenchOptions {
  personality?: PersonalityName;
  ffd?: "1.05" | "1.2";
  printMs?: number;
  print?: "paper" | "none";
  /** What an earlier device has left. */
  drives?: { drive: MemoryDrive; register: MemoryDrive };
}

export async function shtrihBench(clock: Clock, options: ShtrihBenchOptions = {}): Promise<ShtrihBench> {
  const { drives = { drive: new MemoryDrive(), register: new MemoryDrive() } } = options;
  const memory = await RegisterMemory.open(drives.register);
  const { device } = await VirtualDevice.open({
    name: "bench",
    storage: drives.drive,
    clock,
    chance: sameChance,
    zone: ZONE,
    ...(options.ffd === undefined ? {} : { ffd: options.ffd }),
  });
  const front = new ShtrihFront({
    device,
    memory,
    printer: new Printer(clock, () => device.look().conditions.paperPresent),
    personality: PERSONALITIES[options.personality ?? "desktop"],
    clock,
    zone: ZONE,
    port: 128,
    printMs: options.printMs ?? 0,
  });
  let carried = 0;
  const port = new MemoryPort({ clock }, (far) => void front.serve(far));
  const link = port.link();
  const register = new ShtrihRegister(
    new Connection({
      link: {
        name: link.name,
        get isOpen() {
          return link.isOpen;
        },
        open: () => link.open(),
        async write(bytes) {
          carried += bytes.length;
          return link.write(bytes);
        },
        drain: (deadline) => link.drain(deadline),
        async read(deadline) {
          const received = await link.read(deadline);
          if (received.kind === "bytes") carried += received.bytes.length;
          return received;
        },
        close: () => link.close(),
      },
      clock,
      passwords: { operator: 1, system: 30 },
      acknowledgeMs: 3_000,
      note() {},
    }),
    options.print ?? "paper",
  );
  return {
    register,
    device,
    front,
    port,
    carried: () => carried,
    seconds: false,
    async restart() {
      await register.close();
      await front.close();
      return shtrihBench(clock, { ...options, drives });
    },
  };
}
