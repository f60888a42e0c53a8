import Database from "better-sqlite3";

// A program that locks an SQLite file again and again: `FILE HELD_MS GAP_MS`.
const [file = "", heldMs = "", gapMs = ""] = process.argv.slice(2);
const database = new Database(file, { timeout: 60_000 });
const still = new Int32Array(new SharedArrayBuffer(4));
const [begin, commit] = [database.prepare("begin immediate"), database.prepare("commit")];
begin.run();
process.stdout.write("held\n");
for (;;) {
  Atomics.wait(still, 0, 0, Number(heldMs));
  commit.run();
  Atomics.wait(still, 0, 0, Number(gapMs));
  begin.run();
}
