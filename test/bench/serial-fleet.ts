import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const DEVICES_PROCESS = fileURLToPath(new URL("serial-devices.ts", import.meta.url));

/** Devices at TCP ports of this machine, in a process of their own. */
export interface Fleet {
  addresses: string[];
  /** Stops the process: the system accepts connections and takes bytes for it, and nothing is ever answered. */
  freeze(): void;
  thaw(): void;
  end(): void;
}

export async function startDevices(count: number): Promise<Fleet> {
  const child = spawn(process.execPath, [DEVICES_PROCESS, String(count)], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, "line"), once(child, "exit").then(() => [undefined])])) as [string | undefined];
  if (line === undefined) throw new Error("the devices did not start");
  return {
    addresses: JSON.parse(line) as string[],
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    end: () => void child.kill("SIGKILL"),
  };
}
