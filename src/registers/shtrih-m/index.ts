import { linkTo } from "../links/address.ts";
import type { ParsedAddress, RegisterProtocol, RegisterServices } from "../protocol.ts";
import { parseShtrih, SERIAL_SCHEME, type ShtrihAddress, TCP_SCHEME } from "./address.ts";
import { Connection } from "./connection.ts";
import { ShtrihRegister } from "./register.ts";

/** `shtrih-m+tcp://HOST:PORT` and `shtrih-m+serial:PATH`: registers of the Shtrih-M family with a fiscal drive. */
export const shtrihProtocol: RegisterProtocol = {
  schemes: [TCP_SCHEME, SERIAL_SCHEME],
  form: `${TCP_SCHEME}://HOST:PORT, ${SERIAL_SCHEME}:/dev/ttyUSB0?baud=115200`,
  parse,
};

function parse(text: string): ParsedAddress {
  const parsed = parseShtrih(text);
  if (parsed.kind === "invalid") return parsed;
  const { address } = parsed;
  const { canonical, anyDrive } = address;
  return { kind: "address", address: { canonical, emulated: false, anyDrive, open: (services) => open(address, services) } };
}

function open({ link, passwords, acknowledgeMs, print }: ShtrihAddress, { clock, note }: RegisterServices): ShtrihRegister {
  return new ShtrihRegister(new Connection({ link: linkTo(link, clock), clock, passwords, acknowledgeMs, note }), print);
}
