import { processClock } from "../app/clock.ts";
import { composeOperator } from "../app/compose.ts";
import { readConfig } from "../app/config.ts";
import { createLog } from "../app/logging.ts";
import type { OperatorTools, RegisterTools } from "./journal/tools.ts";

/**
 * Opens the journal and the registers for one command. Uses the server's environment variables and takes the database's lock. If a server
 * holds the lock, the failure names that server.
 */
export async function openOperator(): Promise<OperatorTools & RegisterTools> {
  // The log is silent: the command's own lines are its output.
  const log = createLog({ level: "silent" });
  const parts = await composeOperator(readConfig(), log, ({ kind, reason }) => {
    // The database file was replaced, so the journal accepts no more changes. The command ends by `exit` after the register's running work:
    // closing the files normally would make SQLite write into the new file.
    if (kind === "place") {
      process.once("beforeExit", () => process.exit());
      return;
    }
    // Another server may have the database now, so nothing more may be sent to a register.
    process.stderr.write(`The lock of the database is lost: ${reason}\n`);
    process.exit(1);
  });
  return { ...parts, clock: processClock() };
}
