import { type Field, field } from "../../fields.ts";
import { type Content, html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";
import { acquirerWords } from "../../words/payment-words.ts";
import type { AcquirerForm } from "../payments-part.ts";
import { type SeenSetting, seenControls } from "../seen-setting.ts";

export interface AcquirerView {
  storeId: string;
  acquirers: readonly AcquirerForm[];
  /** The setting of this point of sale as the person saw it. */
  seen: SeenSetting;
  /** The default acquirer, while none is set here. */
  standard?: string;
  /** The name of the chosen acquirer, `none`, or empty for the default. */
  kind: string;
  parts: Readonly<Record<string, string>>;
  /** Words beside a control, by its name without `acquirer.`. */
  problems: ReadonlyMap<string, Content>;
  /** The address for notifications of the acquirer in force. */
  notifications?: string;
  mayChange: boolean;
}

export const ACQUIRER_PREFIX = "acquirer.";

/** Draws the form of an acquirer from the acquirer's declared fields. */
export function acquirerSection(say: Say, view: AcquirerView, said?: Markup): Markup {
  const { storeId, seen, mayChange } = view;
  const base = `/settings/stores/${encodeURIComponent(storeId)}/acquirer`;
  return html`<section class="card" id="acquirer">
<h2>${say("Оплата по QR: банк", "QR payment: the acquirer")}</h2>
${said}
<form hx-post="${base}" hx-target="#acquirer" hx-swap="outerHTML" hx-sync="this:drop" autocomplete="off" novalidate>
<fieldset${mayChange ? undefined : html` disabled`}>
${seenControls("acquirer", seen)}
<div class="fields">${field(say, kindField(say, view, base))}${partFields(say, view)}</div>
${notificationPanel(say, view)}
${mayChange ? html`<div class="actions"><button type="submit" class="primary" data-action="save">${say("Сохранить", "Save")}</button></div>` : undefined}
</fieldset>
</form>
</section>`;
}

function kindField(say: Say, { acquirers, kind, standard, problems }: AcquirerView, base: string): Field {
  const general = standard === undefined ? say("нет", "none") : acquirerWords(say, standard);
  const problem = problems.get("kind");
  return {
    name: `${ACQUIRER_PREFIX}kind`,
    label: say("Банк", "Acquirer"),
    value: kind,
    ...(problem === undefined ? {} : { problem }),
    kind: {
      type: "choice",
      options: [
        { value: "", label: say(`По умолчанию: ${general}`, `Default: ${general}`) },
        ...acquirers.map(({ name }) => ({ value: name, label: acquirerWords(say, name) })),
        { value: "none", label: say("Не принимать", "None") },
      ],
      attributes: html` hx-post="${base}/form" hx-include="closest form" hx-target="#acquirer" hx-swap="outerHTML" hx-trigger="change"`,
    },
  };
}

function partFields(say: Say, { acquirers, kind, parts, problems }: AcquirerView): Content {
  const fields = acquirers.find(({ name }) => name === kind)?.fields ?? [];
  return fields.map(({ name, label, secret, required }) => {
    const value = parts[name] ?? "";
    const problem = problems.get(name);
    const optional = required ? "" : say(" (необязательно)", " (optional)");
    return field(say, {
      name: `${ACQUIRER_PREFIX}${name}`,
      label: `${say(label.ru, label.en)}${optional}`,
      value: secret ? "" : value,
      ...(problem === undefined ? {} : { problem }),
      ...(secret && value !== "" ? { hint: say("Пусто: без изменений.", "Empty: as it is.") } : {}),
      kind: secret ? { type: "secret", isSet: value !== "" } : { type: "text", maxLength: 256 },
    });
  });
}

/** Draws the address that the owner enters in the acquirer's cabinet. The address is a secret, so only administrators see it. */
function notificationPanel(say: Say, { notifications, mayChange }: AcquirerView): Content {
  if (notifications === undefined || !mayChange) return undefined;
  return html`<div class="field"><strong>${say("Адрес для уведомлений", "Address for notifications")}</strong><code>${notifications}</code><p class="hint">${say(
    "Вставьте его в личном кабинете банка. Никому не показывайте.",
    "Put it into the acquirer's cabinet, and show it to nobody.",
  )}</p></div>`;
}
