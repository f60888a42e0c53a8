import { systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { openStore, type StoreOptions } from "../../src/store/database.ts";
import { openNotifications, product } from "./notifications.ts";

// A process that takes two notifications for an account and begins to read. The reading never ends, until the process
// is killed.
const [options = "", accountId = ""] = process.argv.slice(2);
const store = await openStore(JSON.parse(options) as StoreOptions);
const never = () => {
  process.stdout.write("reading\n");
  return new Promise<void>(() => {});
};
const taker = openNotifications(store, { clock: systemClock, log: silentLog, reading: { reread: never, rereadAll: never } });
process.stdin.on("end", () => process.exit(0)).resume();

const key = await taker.install(accountId);
taker.notifications.start();
for (const id of ["first", "second"]) {
  const { kind } = await taker.notifications.take(key, `request of ${id}`, [product(id)]);
  process.stdout.write(`${kind} ${id}\n`);
}
