import type { ReadAudit } from "../../accounts/audit.ts";
import { dayAndHourAt } from "../amounts.ts";
import { type Content, html } from "../html.ts";
import type { Say } from "../language.ts";
import { auditWords } from "../words/audit-words.ts";

/** Draws the changes with their authors, the newest first. Undefined: no changes. */
export function auditSection(say: Say, lines: readonly ReadAudit[], zone: string): Content {
  if (lines.length === 0) return undefined;
  const nothing = say("не задано", "not set");
  return html`<details class="card"><summary>${say("Кто что менял", "Who has changed what")}</summary><ol class="operations">${lines.map(
    (line) => {
      const { what, before = nothing, after = nothing } = auditWords(say, line);
      return html`<li><div>${what}</div><div class="soft number">${dayAndHourAt(line.atMs, zone)}</div>
<div class="wide hint">${before} → ${after} · ${line.actor}</div>${line.reason === undefined ? undefined : html`<div class="wide">${line.reason}</div>`}</li>`;
    },
  )}</ol></details>`;
}
