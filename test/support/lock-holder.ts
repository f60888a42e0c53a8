import { systemClock } from "../../src/kernel/clock.ts";
import { lockDataDir } from "../../src/store/lock.ts";
import { lockSchema } from "../../src/store/schema-lock.ts";

// A process that takes a lock, prints that, and holds the lock until it is killed: `folder DIR` or `schema URL NAME`.
const [kind, where = "", schema = ""] = process.argv.slice(2);
const holder = { pid: process.pid, host: "till-back-room", since: "2026-03-02T10:15:00.000Z" };

const lock =
  kind === "folder"
    ? await lockDataDir(where, holder)
    : await lockSchema({ url: where, schema }, holder, {
        clock: systemClock,
        onLost: (reason) => process.stdout.write(`lost ${reason}\n`),
      });
process.stdin.on("end", () => lock.release()).resume();
process.stdout.write("held\n");
