import { type Act, EVERY_ACCOUNT } from "../../../accounts/audit.ts";
import { withoutSecrets } from "../../../kernel/redaction/secret-texts.ts";
import type { ListFilter } from "../filter.ts";
import type { ConsoleContext } from "../layout.ts";
import type { ConsoleServices } from "../services.ts";

/**
 * The state of an export. `whole`: complete. `more`: rows follow. `cut`: ended at a limit, so rows may be missing. `broken off`: ended
 * before its last row.
 */
export type ExportEnd = "whole" | "more" | "cut" | "broken off";

export interface TakenRows {
  rows: number;
  end: ExportEnd;
}

type Services = Pick<ConsoleServices, "noteAct" | "installations">;

/** Records how many rows of a list the person of the session has exported. */
export async function noteExport(
  services: Services,
  { session }: Pick<ConsoleContext, "session">,
  { name, filter }: { name: string; filter: ListFilter },
  { rows, end }: TakenRows,
): Promise<void> {
  const act: Act = { act: "export", subject: name, after: end === "whole" ? `${rows} rows` : `${rows} rows, ${end}` };
  const reason = filterText(name, filter);
  await services.noteAct(
    { key: await keyOf(services, filter), actor: { name: session.login, place: "page" } },
    { ...act, ...(reason === "" ? {} : { reason }) },
  );
}

/**
 * Returns the account to which the record belongs: the account of the filter, if it has exactly one installation. Otherwise the record
 * belongs to all accounts, and only the filter's text names the account.
 */
async function keyOf({ installations }: Services, { accountId }: ListFilter): Promise<{ appId: string; accountId: string }> {
  const found = accountId === undefined ? [] : (await installations()).filter((one) => one.accountId === accountId);
  const [only] = found.length === 1 ? found : [];
  return { appId: only?.appId ?? EVERY_ACCOUNT, accountId: only?.accountId ?? EVERY_ACCOUNT };
}

/**
 * Returns the filter as typed, without secrets. Hides the text of a member search, because this text may be a name, a phone, a card or an
 * address. The audit outlives an erased buyer, so it must not contain such data.
 */
function filterText(name: string, { typed }: ListFilter): string {
  return [...typed].map(([field, text]) => `${field}=${field === "q" && name === "members" ? "•••" : withoutSecrets(text)}`).join(", ");
}
