import { openStore, type StoreOptions } from "../store/database.ts";
import { type Command, UsageError } from "./command.ts";

export interface MigrateServices {
  /**
   * Returns the place of the database. `journalDue`: why the database must exist already. Called when the command runs, so that `--help`
   * needs no configuration.
   */
  storePlace(): { options: StoreOptions; journalDue?: string };
}

const USAGE = `Usage: npm run cli -- migrate

Brings the tables of the database to this program's version.

The database is the one that DATABASE_URL names, else the file in DATA_DIR. Everything happens in one
transaction: afterwards the database is new or as it was. A database that a newer program has changed is
refused. The server does the same when it starts; this is for doing it beforehand.
`;

/** Migrates the database. Safe to repeat. Does not take the data folder's lock: a running server's commits wait for the migration. */
export function migrateCommand(services: MigrateServices): Command {
  return {
    name: "migrate",
    summary: "bring the database to this program's version",
    usage: USAGE,
    async run(args, io) {
      if (args.length > 0) throw new UsageError(`migrate takes no arguments, and "${args[0]}" is one`);
      const { options, ...due } = services.storePlace();
      const store = await openStore(options, due);
      try {
        const before = await store.schemaVersion();
        await store.migrate();
        const after = await store.schemaVersion();
        io.out(before === after ? `The database has version ${after} already.` : `The database went from version ${before} to ${after}.`);
        return 0;
      } finally {
        await store.close();
      }
    },
  };
}
