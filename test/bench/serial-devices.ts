import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { listenTcp } from "../../src/registers/links/tcp.ts";
import { openShtrihDevice } from "../../src/registers/shtrih-m/device/open.ts";

/** `serial-devices.ts COUNT`: so many devices at TCP ports, in a process of their own. It prints their addresses in one line. */
const count = Number(process.argv[2]);
const addresses: string[] = [];
for (let made = 0; made < count; made += 1) {
  const { front } = await openShtrihDevice({ clock: systemClock, chance: systemChance, zone: "Europe/Moscow" });
  const listener = await listenTcp({ host: "127.0.0.1", port: 0 }, systemClock, (link) => void front.serve(link));
  addresses.push(`shtrih-m+tcp://127.0.0.1:${listener.place.port}`);
}
process.stdout.write(`${JSON.stringify(addresses)}\n`);
