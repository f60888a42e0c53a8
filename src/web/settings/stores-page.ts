import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import type { KnownPoint, PointList } from "../../accounts/shop/points-of-sale.ts";
import { drawnInSteps, html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { pageLink, type View } from "../layout.ts";
import { type Light, lightMarkup } from "../register-light.ts";
import type { PageContext } from "./context.ts";
import { type Missing, missingSection } from "./set-up-section.ts";

interface ListedPoint extends KnownPoint {
  light: Light;
}

/** Draws the points of sale that are not archived, each with the state of its register. */
export async function storesView(
  { say, mayChange, installation }: PageContext,
  { points, standing }: { points: readonly ListedPoint[]; standing: PointList["standing"] },
  missing: Missing,
  said?: Markup,
): Promise<View> {
  const title = say("Точки продаж", "Points of sale");
  const open = points.filter(({ archived }) => !archived);
  const rows = await drawnInSteps(open, (point) => rowMarkup(say, point));
  const content = html`<div class="head"><h1>${title}</h1><p class="soft">${installation.accountName}</p></div>
<div class="stack">
${said}
${missingSection(say, missing, mayChange)}
${open.length === 0 ? emptyMarkup(say, standing) : html`<ul class="rows">${rows}</ul>`}
<p>${pageLink(`/settings/stores/${WHOLE_ACCOUNT}`, say("Настройки для всех точек сразу", "Settings for all points of sale"))}</p>
${mayChange ? undefined : html`<p class="hint">${say("Менять настройки может только администратор платформы.", "Only an administrator may change settings.")}</p>`}
</div>`;
  return { page: "stores", title, content };
}

function rowMarkup(say: Say, { id, name, address, light }: ListedPoint): Markup {
  const label = html`<span><strong>${name ?? say("Точка, которой нет на платформе", "Not known to the platform")}</strong>${
    address === undefined ? undefined : html`<br><small class="soft">${address}</small>`
  }<br>${lightMarkup(light)}</span><span class="go">${say("Настроить", "Set up")}</span>`;
  const target = `/settings/stores/${encodeURIComponent(id)}`;
  return html`<li data-store="${id}">${pageLink(target, label)}</li>`;
}

function emptyMarkup(say: Say, standing: PointList["standing"]): Markup {
  const again = html`<button type="button" class="small" hx-get="/settings/stores" hx-target="#main" hx-swap="innerHTML"${
    standing === "reading" ? html` hx-trigger="click, load delay:1s"` : undefined
  }>${say("Обновить", "Load again")}</button>`;
  const words = {
    read: say(
      "На платформе нет ни одной точки продаж. Создайте её в разделе «Розница».",
      "The platform has no point of sale. Create one there.",
    ),
    reading: say("Платформа ещё отвечает, какие у вас точки продаж…", "The platform is being asked for your points of sale…"),
    "not-asked": say(
      "Решение не может спросить платформу, какие у вас точки продаж: она не дала ему доступа. Установите решение заново.",
      "The platform gave the solution no access to your points of sale. Install the solution again.",
    ),
    failed: say("Платформа не ответила, какие у вас точки продаж.", "The platform did not tell your points of sale."),
  };
  return html`<div class="card"><p>${words[standing]}</p><div class="actions">${again}</div></div>`;
}
