import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Program } from "./child-process.ts";
import { Platform } from "./platform.ts";

export type Server = { readonly platform: Platform; readonly program: Program; readonly close: () => Promise<void> };

/** The project's server with one register at the address, installed for one account. */
export const startServer = async (register: { readonly host: string; readonly port: number }): Promise<Server> => {
  const folder = await mkdtemp(join(tmpdir(), "independent-"));
  const env = {
    PORT: "0",
    DATA_DIR: folder,
    // Every device of these tests has the same numbers. The project locks a device by its numbers, in the temporary folder of the machine.
    TMPDIR: folder,
    DEFAULT_REGISTER: `shtrih-m+tcp://${register.host}:${register.port}`,
    LOG_LEVEL: "trace",
    PLATFORM_BASE_URL: "http://127.0.0.1:9",
  };
  const program = await Program.start(["src/main.ts"], env, (line) => line.msg === "listening");
  const close = async () => {
    await program.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { platform: new Platform(String(program.ready.address)), program, close };
};
