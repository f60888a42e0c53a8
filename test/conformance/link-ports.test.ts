import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { SerialLink } from "../../src/registers/links/serial.ts";
import { listPorts, portNames } from "../../src/registers/links/serial-ports.ts";
import { within } from "../support/links.ts";

const SHORT_MS = 100;

describe("the list of serial ports", () => {
  let system: string;

  beforeEach(() => {
    system = mkdtempSync(join(tmpdir(), "sys-"));
    mkdirSync(join(system, "tty"));
  });
  afterEach(() => rmSync(system, { recursive: true }));

  it("names the ports that a cable can be in, with maker and number where the cable tells", async () => {
    plug("ttyUSB10", "usb1/1-1/1-1:1.0/ttyUSB10");
    plug("ttyUSB2", "usb1/1-2/1-2:1.0/ttyUSB2", { manufacturer: "SHTRIH-M", serial: "0042" });
    plug("ttyACM0", "usb1/1-3/1-3:1.0", { manufacturer: "SHTRIH-M" });
    mkdirSync(join(system, "tty/console"));
    mkdirSync(join(system, "tty/tty1"));
    expect(await listPorts("linux", join(system, "tty"))).toEqual({
      kind: "ports",
      ports: [
        { path: "/dev/ttyACM0", maker: "SHTRIH-M" },
        { path: "/dev/ttyUSB2", maker: "SHTRIH-M", serial: "0042" },
        { path: "/dev/ttyUSB10" },
      ],
    });
  });

  it("leaves ports of the mainboard out that do not exist", async () => {
    plug("ttyS0", "pnp0/00:01", {}, "4");
    plug("ttyS1", "platform/serial8250", {}, "0");
    expect(await listPorts("linux", join(system, "tty"))).toEqual({ kind: "ports", ports: [{ path: "/dev/ttyS0" }] });
  });

  it("says that it does not know where the system tells nothing", async () => {
    expect(await listPorts("linux", join(system, "nothing"))).toMatchObject({ kind: "unknown", reason: expect.any(String) });
  });

  it("ends without a crash on this machine, whether or not it has the tool that the library starts", async () => {
    expect((await listPorts()).kind).toMatch(/^(ports|unknown)$/);
    expect((await listPorts("sunos")).kind).toMatch(/^(ports|unknown)$/);
  });

  /**
   * Makes the files of a port in the kernel's folder: the port, its device below it, and the cable's own values in the second folder of the
   * device's path.
   */
  function plug(name: string, device: string, says: Record<string, string> = {}, type?: string): void {
    const path = join(system, "devices", device);
    mkdirSync(path, { recursive: true });
    mkdirSync(join(system, "tty", name));
    symlinkSync(path, join(system, "tty", name, "device"));
    if (type !== undefined) writeFileSync(join(system, "tty", name, "type"), `${type}\n`);
    const cable = join(system, "devices", ...device.split("/").slice(0, 2));
    for (const [file, text] of Object.entries(says)) writeFileSync(join(cable, file), `${text}\n`);
  }
});

describe("a serial port that is not there", () => {
  const missing = "/dev/ttyUSB-of-nobody";
  const words = `порт ${missing} не найден: кабель не подключён, или имя указано неверно`;

  it.each([
    ["names those that are", ["/dev/ttyACM0 (SHTRIH-M)", "/dev/ttyUSB2"], `${words}. Есть: /dev/ttyACM0 (SHTRIH-M), /dev/ttyUSB2`],
    ["names the first of many", ["1", "2", "3", "4", "5", "6", "7"], `${words}. Есть: 1, 2, 3, 4, 5 и ещё 2`],
    ["says that there are no others", [], `${words}. Других портов нет`],
    ["says no more where the system tells nothing", undefined, words],
  ])("%s", async (_, names, reason) => {
    const link = new SerialLink({ path: missing, baud: 115_200 }, systemClock, async () => names);
    expect(await link.open(within())).toEqual({ kind: "shut", reason });
  });

  it("waits no longer for their names than it has time", async () => {
    const link = new SerialLink({ path: missing, baud: 115_200 }, systemClock, () => new Promise(() => {}));
    expect(await link.open(within(SHORT_MS))).toEqual({ kind: "shut", reason: words });
  });

  it("has the names of this machine's ports, where it tells them", async () => {
    expect((await portNames()) ?? []).toEqual(expect.any(Array));
    const { kind } = await listPorts();
    expect((await portNames()) === undefined).toBe(kind === "unknown");
  });
});
