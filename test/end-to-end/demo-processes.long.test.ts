import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { DATABASE_KINDS, describeDatabase, POSTGRES_URL } from "../support/databases.ts";
import { runCommand } from "../support/end-to-end-command.ts";
import { postgresTool } from "../support/postgres-tool.ts";
import { temporaryFolder } from "../support/server-process.ts";

const KILLS = 4;
/** Each death comes with a takeover and a start of a server, on a machine that runs other tests beside. */
const KILLS_LIMIT_MS = 300_000;

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("the demo on several servers", kind, () => {
    it("any of them takes any request, and one that is killed is replaced: nothing is lost or made twice, and the journal agrees", {
      timeout: KILLS_LIMIT_MS,
    }, async () => {
      const folder = temporaryFolder();
      const name = `demo_${randomUUID().replaceAll("-", "")}`;
      postgresTool("psql", POSTGRES_URL, "--command", `create database ${name}`);
      onTestFinished(() => postgresTool("psql", POSTGRES_URL, "--command", `drop database ${name} with (force)`));
      const url = new URL(POSTGRES_URL);
      url.pathname = `/${name}`;
      writeFileSync(join(folder, ".env"), `DATABASE_URL=${url.href}\nDATA_DIR=${join(folder, "data", "server-1")}\n`);
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
