import { field, reasonField } from "../fields.ts";
import { type Content, html } from "../html.ts";
import type { ConsoleContext } from "./layout.ts";

/** A form that was refused, shown again. */
export interface LeaveOutForm {
  drive: string;
  typed: ReadonlyMap<string, string>;
  problem: { field: "reason"; words: string };
}

/** Draws the form that leaves a document of the register's drive out. Undefined: the register has returned all documents. */
export function leaveOutForm(
  { say, session }: ConsoleContext,
  { drive, unread, form }: { drive: string; unread: readonly number[]; form: LeaveOutForm | undefined },
): Content {
  if (unread.length === 0) return undefined;
  const own = form?.drive === drive ? form : undefined;
  const options = unread.map((number) => ({ value: `${number}`, label: `${number}` }));
  const number = { name: "number", idPrefix: `${drive}-`, label: say("№ документа (ФД)", "Document (ФД)") };
  const hint = say("Откуда известно, что продажи в нём не повторят.", "How you know that no sale in it will be repeated.");
  return html`<details${own === undefined ? undefined : html` open`}><summary>${say("Документы, которые касса не отдала", "Documents that the register has not returned")}: ${unread.length}</summary>
<p>${say(
    "Продажи ждут, если касса замолкает при запросе документа. Пропущенный документ больше не запрашивается. Если в нём продажа, её повтор будет пробит ещё раз.",
    "Sales wait while the register falls silent when a document is requested. A document that is left out is not requested again. If it has a sale, a repeat registers that sale again.",
  )}</p>
<form method="post" action="/console/registers/leave-out"><input type="hidden" name="csrf" value="${session.csrf}"><input type="hidden" name="drive" value="${drive}"><div class="fields">${field(
    say,
    { ...number, kind: { type: "choice", options }, value: own?.typed.get("number") ?? "" },
  )}${reasonField(say, own, { hint, idPrefix: `${drive}-` })}</div><div class="actions"><button class="primary" data-action="leave-out">${say(
    "Пропустить документ",
    "Leave the document out",
  )}</button></div></form></details>`;
}
