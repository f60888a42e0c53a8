import { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { openStore, type StoreOptions } from "../../src/store/database.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "./journal-entries.ts";

// A process that sells until it is killed. It prints what was committed: "sending 3", "done 3", "answered 3".
const store = await openStore(JSON.parse(process.argv[2] ?? "") as StoreOptions);
const journal = new Journal({ store, clock: systemClock });
process.stdin.on("end", () => process.exit(0)).resume();

for (let number = 1; ; number += 1) {
  const sending = await journal.begin(entryContent({ key: entryKey({ documentId: `sale-${number}` }) }), checkpoint());
  process.stdout.write(`sending ${number}\n`);
  const done = await journal.finish(sending, { kind: "done", facts: saleFacts({ documentNumber: number }) }, "register");
  process.stdout.write(`done ${number}\n`);
  await journal.storeAnswer(done, Buffer.alloc(30_000, number % 256));
  process.stdout.write(`answered ${number}\n`);
}
