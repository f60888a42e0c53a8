import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Failure } from "../../kernel/failure.ts";
import type { ServerProcess } from "./processes/server-process.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
/** The time limit of one command. A command starts a program and opens the database while the server runs. */
const COMMAND_LIMIT_MS = 60_000;

type Server = Pick<ServerProcess, "dataDir" | "environment">;

/** Changes a setting of the whole account, such as `loyalty=on`. */
export function setForAll(server: Server, accountId: string, assignment: string): Promise<void> {
  return changeSetting(server, accountId, "*", assignment);
}

/** Changes a setting of a point of sale with the operator's command. The `storeId` `*` changes a setting of the whole account. */
export function changeSetting({ dataDir, environment }: Server, accountId: string, storeId: string, assignment: string): Promise<void> {
  const args = [CLI, "settings", "set", accountId, storeId, assignment];
  const options = { cwd: dataDir, env: { ...environment, DATA_DIR: dataDir }, timeout: COMMAND_LIMIT_MS };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (error, _out, err) => {
      if (error === null) resolve();
      else reject(new Failure("wrong-answer", "fault", `settings set … ${assignment} failed: ${err.trim() || error.message}`));
    });
  });
}
