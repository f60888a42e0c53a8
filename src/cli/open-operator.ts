import { composeOperator } from "../app/compose.ts";
import { readConfig } from "../app/config.ts";
import { createLog } from "../app/logging.ts";
import { systemClock } from "../kernel/clock.ts";
import type { OperatorTools, RegisterTools } from "./journal/tools.ts";

/**
 * Journal and registers for one command, by the environment that the server reads and under its lock. The
 * failure of a lock that a server holds names that server.
 */
export async function openOperator(): Promise<OperatorTools & RegisterTools> {
  // Only what a person must see: the command's own lines are its output.
  const log = createLog({ level: "silent" });
  const parts = await composeOperator(readConfig(), log, ({ kind, reason }) => {
    // Without its place the journal takes nothing more, and the command ends by itself once the register has: by an exit
    // of its own, since the end of a program closes its files, and SQLite then writes to a database that is another one.
    if (kind === "place") {
      process.once("beforeExit", () => process.exit());
      return;
    }
    // Another server may have the database now: nothing more may be sent to a register.
    process.stderr.write(`The lock of the database is lost: ${reason}\n`);
    process.exit(1);
  });
  return { ...parts, clock: systemClock };
}
