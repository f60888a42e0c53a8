import { systemClock } from "../../src/kernel/clock.ts";
import type { Deadline } from "../../src/kernel/deadline.ts";
import type { Link } from "../../src/registers/links/link.ts";
import { openShtrihDevice } from "../../src/registers/shtrih-m/device/open.ts";
import { ShtrihRegister } from "../../src/registers/shtrih-m/register.ts";
import { Connection } from "../../src/registers/shtrih-m/session/connection.ts";
import { MemoryPort } from "../support/memory-link.ts";
import { sameChance, ZONE } from "../support/register-bench.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { type Part, type Row, rounded, withFloor } from "./row.ts";
import { registersRows } from "./serial-registers.ts";
import { make, minimalBytes, saleOfTen } from "./serial-sale.ts";

const BAUD = 115_200;
/** The bits of a byte: start bit, eight bits, stop bit. */
const BITS_PER_BYTE = 10;
const START_MS = Date.UTC(2026, 10, 28, 7, 0, 0);
/** A time limit: every operation of the shift takes less. */
const LIMIT_MS = 60_000;

/** The driver of Shtrih-M on its line: bytes and time of a sale, its processor time, many registers at once. */
export const serialBench: Part = {
  prefix: "serial.",
  async run(note): Promise<Row[]> {
    return [...(await wireRows()), ...(await registersRows(note))];
  },
};

/**
 * A sale as the server makes it, including the inspection before it. The time is that of the line alone, because the device answers at
 * once.
 */
async function wireRows(): Promise<Row[]> {
  const clock = new VirtualClock(START_MS);
  const { front, close } = await openShtrihDevice({ clock, chance: sameChance, zone: ZONE });
  const port = new MemoryPort({ clock, baud: BAUD }, (far) => void front.serve(far));
  const line = counted(port.link());
  const link = line.link;
  const register = new ShtrihRegister(
    new Connection({ link, clock, passwords: { operator: 1, system: 30 }, acknowledgeMs: 3_000, note: () => {} }),
    "paper",
  );
  const sale = saleOfTen();
  await finished(clock, make(register, clock, shiftDocument("open-shift")));
  await finished(clock, make(register, clock, sale));
  line.reset();
  const startedMs = clock.monotonicMs();
  await finished(clock, make(register, clock, sale));
  const [bytes, elapsedMs, least] = [line.bytes(), clock.monotonicMs() - startedMs, minimalBytes(sale)];
  await finished(clock, register.close());
  await finished(clock, close());
  return [
    withFloor({ name: "serial.sale-10-positions.bytes", value: bytes, unit: "B" }, least),
    withFloor({ name: "serial.sale-10-positions.wire", value: rounded(elapsedMs), unit: "ms" }, (least * BITS_PER_BYTE * 1000) / BAUD),
  ];
}

/** A link that counts the bytes of both directions. */
function counted(link: Link): { link: Link; bytes(): number; reset(): void } {
  let bytes = 0;
  return {
    bytes: () => bytes,
    reset() {
      bytes = 0;
    },
    link: {
      name: link.name,
      get isOpen() {
        return link.isOpen;
      },
      open: (deadline) => link.open(deadline),
      write(written, deadline) {
        bytes += written.length;
        return link.write(written, deadline);
      },
      drain: (deadline) => link.drain(deadline),
      async read(deadline: Deadline) {
        const received = await link.read(deadline);
        if (received.kind === "bytes") bytes += received.bytes.length;
        return received;
      },
      close: () => link.close(),
    },
  };
}

/** Moves the clock in steps far shorter than a byte's time on the line, until the work is done. */
async function finished<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let over = false;
  const watched = work.finally(() => {
    over = true;
  });
  const beganMs = systemClock.monotonicMs();
  while (!over) {
    await clock.advance(STEP_MS);
    if (systemClock.monotonicMs() - beganMs > LIMIT_MS) throw new Error("the work on the virtual line does not end");
  }
  return watched;
}

const STEP_MS = 0.002;
