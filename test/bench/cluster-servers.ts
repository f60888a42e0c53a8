import { systemClock } from "../../src/kernel/clock.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { ClusterTill, shadowed } from "../simulation/cluster/shared-database.ts";
import type { DeviceProgram } from "../simulation/processes/device-program.ts";
import type { TestDatabase } from "../support/databases.ts";

export type Makes = () => Promise<TestDatabase>;

/** A server on a database and a device of the benchmark. It is not started yet. */
export function benchServer(
  dataDir: string,
  { database, device, environment }: { database: TestDatabase; device: DeviceProgram; environment: Record<string, string> },
): ServerProcess {
  const address = shadowed(database.options);
  if (address.kind !== "postgres") throw new Error("the benchmark of a cluster needs PostgreSQL");
  return new ServerProcess({
    dataDir,
    environment: {
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: address.url,
      DEFAULT_REGISTER: device.address,
      PLATFORM_BASE_URL: "http://127.0.0.1:9",
      ...environment,
    },
    clock: systemClock,
    detached: false,
  });
}

/** A till with an open shift, whose account is new at this server. */
export async function openedTill(server: ServerProcess): Promise<ClusterTill> {
  const till = new ClusterTill(1);
  await till.install(server);
  const opened = await till.openShift(server);
  if (opened.status !== 200) throw new Error(`the shift was answered ${opened.status}: ${opened.body}`);
  return till;
}
