import { Journal } from "../../../src/journal/journal.ts";
import { systemClock } from "../../../src/kernel/clock.ts";
import { openStore, type StoreOptions } from "../../../src/store/database.ts";
import type { Evidence } from "./agreement.ts";

const PAGE = 500;

/** Returns every entry and every move of a journal whose servers have ended, of one account or of all. */
export async function journalled(options: StoreOptions, accountId?: string): Promise<Pick<Evidence, "entries" | "moves">> {
  const store = await openStore(options);
  try {
    const journal = new Journal({ store, clock: systemClock });
    const entries: Evidence["entries"] = [];
    for (let beforeId: number | undefined; ; beforeId = entries.at(-1)?.id) {
      const filter = { limit: PAGE, ...(accountId === undefined ? {} : { accountId }), ...(beforeId === undefined ? {} : { beforeId }) };
      const page = await journal.list(filter);
      entries.push(...page);
      if (page.length < PAGE) break;
    }
    const moves: Evidence["moves"] = [];
    for (const { id } of entries) moves.push(...(await journal.moves(id)));
    return { entries, moves };
  } finally {
    await store.close();
  }
}
