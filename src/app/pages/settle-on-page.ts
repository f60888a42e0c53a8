import { writeAudit } from "../../accounts/audit.ts";
import type { Entry } from "../../journal/entry.ts";
import { present } from "../../kernel/present.ts";
import { type SettlingServices, type Statement, settleByHand } from "../../operator/settling/settle-by-hand.ts";
import type { Store } from "../../store/database.ts";

/** Settles a doubt. The journal stores the person's words, the audit stores the person's name. */
export async function settleOnPage(
  services: SettlingServices & { store: Store },
  entry: Entry,
  statement: Statement,
  name: string,
): ReturnType<typeof settleByHand> {
  const settled = await settleByHand(services, entry, statement);
  if (settled.kind === "refused") return settled;
  const at = { atMs: services.clock.nowMs(), key: entry.key, actor: { name, place: "page" } } as const;
  await services.store.commit((tx) =>
    writeAudit(tx, at, {
      storeId: entry.operation.storeId,
      act: "settle",
      subject: entry.key.documentId,
      before: entry.state,
      after: settled.entry.state,
      ...present({ reason: statement.said }),
    }),
  );
  return settled;
}
