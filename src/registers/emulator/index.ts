import { join } from "node:path";
import { DRIVE_OPTION, quotable, readOptions } from "../options.ts";
import type { ParsedAddress, RegisterProtocol, RegisterServices } from "../protocol.ts";
import type { Register } from "../register.ts";
import { examineEmulator } from "./examination.ts";
import { openFolder } from "./folder.ts";
import { limitOf } from "./limits.ts";
import { EmulatorRegister } from "./register.ts";

const SCHEME = "emulator";
/**
 * The name is also a folder name. It has letters, digits, dots, dashes and underscores, begins with a letter or digit, does not end with a
 * dot, and is short enough for every file system.
 */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,148}[A-Za-z0-9_-])?$/;

const OPTIONS = { drive: DRIVE_OPTION };

/** `emulator:NAME`: a virtual device in its own folder, without a protocol in between. */
export const emulatorProtocol: RegisterProtocol = {
  schemes: [SCHEME],
  form: `${SCHEME}:NAME`,
  forms: [{ scheme: SCHEME, place: { kind: "name" }, options: OPTIONS }],
  parse,
};

function parse(address: string): ParsedAddress {
  const read = readOptions(address, OPTIONS);
  if (read.kind === "invalid") return read;
  const name = read.base.slice(SCHEME.length + 1);
  if (!NAME.test(name)) {
    return { kind: "invalid", problem: `${quotable(read.base)} is no ${SCHEME}:NAME with a name of letters, digits, ".", "-" and "_"` };
  }
  return {
    kind: "address",
    address: {
      canonical: `${SCHEME}:${name}`,
      emulated: true,
      anyDrive: read.options.get("drive") === "any",
      settings: "",
      lineSums: "within-kopeck",
      limitOf,
      open: (services) => openEmulator(name, services),
      examine: (services) => examineEmulator(name, folderOf(name, services), services),
    },
  };
}

function folderOf(name: string, { dataDir }: Pick<RegisterServices, "dataDir">): string {
  return join(dataDir, "registers", name);
}

function openEmulator(name: string, services: RegisterServices): Register {
  const folder = folderOf(name, services);
  return new EmulatorRegister(services.clock, () => openFolder(name, folder, services));
}
