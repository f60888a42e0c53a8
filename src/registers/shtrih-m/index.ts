import { present } from "../../kernel/present.ts";
import { linkTo } from "../links/address.ts";
import { guarded } from "../links/guarded.ts";
import { locked } from "../links/locked.ts";
import type { ParsedAddress, RegisterProtocol, RegisterServices } from "../protocol.ts";
import { visit } from "./examination/visit.ts";
import { limitOf } from "./limits.ts";
import { ShtrihRegister } from "./register.ts";
import { parseShtrih, SERIAL_SCHEME, SHTRIH_FORMS, type ShtrihAddress, TCP_SCHEME } from "./session/address.ts";
import { Connection } from "./session/connection.ts";

/** `shtrih-m+tcp://HOST:PORT` and `shtrih-m+serial:PATH`: registers of the Shtrih-M family with a fiscal drive. */
export const shtrihProtocol: RegisterProtocol = {
  schemes: [TCP_SCHEME, SERIAL_SCHEME],
  form: `${TCP_SCHEME}://HOST:PORT, ${SERIAL_SCHEME}:/dev/ttyUSB0?baud=115200`,
  forms: SHTRIH_FORMS,
  parse,
};

function parse(text: string): ParsedAddress {
  const parsed = parseShtrih(text);
  if (parsed.kind === "invalid") return parsed;
  const { address } = parsed;
  const { canonical, anyDrive } = address;
  return {
    kind: "address",
    address: {
      canonical,
      emulated: false,
      ambiguous: true,
      anyDrive,
      settings: settingsOf(address),
      lineSums: "within-kopeck",
      limitOf,
      open: (services) => open(address, services),
      examine: (services, deadline) => visit(address, services, deadline),
    },
  };
}

/** Returns the settings as a text. Omits the place, because two spellings of one place mean the same register. */
function settingsOf({ link, passwords, protocol, acknowledgeMs, print }: ShtrihAddress): string {
  return JSON.stringify({ passwords, protocol, acknowledgeMs, print, ...(link.kind === "serial" ? { baud: link.baud } : {}) });
}

function open(
  { canonical, link: place, passwords, protocol, acknowledgeMs, print }: ShtrihAddress,
  services: RegisterServices,
): ShtrihRegister {
  const { clock, note, tracing = false, exchanged, maySend } = services;
  const bare = linkTo(place, clock);
  const link = maySend === undefined ? bare : guarded(bare, () => maySend());
  // Only one program can open a serial port, so a serial port needs no lock. A network device accepts several connections. With `maySend` a
  // lease decides who may use the device.
  const own = place.kind === "tcp" ? locked(link, { clock, name: canonical, note, byLease: maySend !== undefined }) : link;
  const options = { link: own, clock, passwords, protocol, acknowledgeMs, note, tracing, ...present({ exchanged, maySend }) };
  return new ShtrihRegister(new Connection(options), print);
}
