import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { runCommand } from "../support/end-to-end-command.ts";
import { newPostgresDatabase } from "../support/new-database.ts";
import { temporaryFolder } from "../support/server-process.ts";

const KILLS = 4;
/** A takeover and a start of a server follow each death, on a machine that runs other tests at the same time. */
const KILLS_LIMIT_MS = 600_000;

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("the demo on several servers", kind, () => {
    it("any of them takes any request, and one that is killed is replaced: nothing is lost or made twice, and the journal agrees", {
      timeout: KILLS_LIMIT_MS,
    }, async () => {
      const folder = temporaryFolder();
      const url = await newPostgresDatabase();
      writeFileSync(join(folder, ".env"), `DATABASE_URL=${url}\nDATA_DIR=${join(folder, "data", "server-1")}\n`);
      const args = ["demo", "--processes", "2", "--kill", String(KILLS), "--seed", "7", "--data", join(folder, "data")];
      const { exitCode, out, err } = await runCommand(args, folder);
      expect({ exitCode, err }, out).toEqual({ exitCode: 0, err: "" });
      expect(out.match(/^server process/gm)).toHaveLength(2);
      expect(out.match(/kill -9/g)).toHaveLength(KILLS);
      expect(out).toContain(`nothing lost, nothing doubled: ФД 2–19 without a gap, 12 receipts, drawer 0.00, ${KILLS} kills`);
      const verified = await runCommand(["journal", "verify"], folder);
      expect(verified).toEqual({
        exitCode: 0,
        out: expect.stringMatching(/18 documents of drives were counted: everything agrees\n$/),
        err: "",
      });
    });
  });
