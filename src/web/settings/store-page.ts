import { type Content, html, type Markup } from "../html.ts";
import { pageLink, type View } from "../layout.ts";
import type { PageContext } from "./context.ts";

interface StoreParts {
  storeId: string;
  /** Absent: all points of sale together, or a point of sale without stored data of the platform. */
  name?: string;
  address?: string;
  /** Absent for the whole account. */
  missing?: Markup;
  /** Absent for the whole account, which has no register. */
  register?: { form: Markup; state: Markup; operations: Markup; agent: Content };
  settings: Markup;
  acquirer: Markup;
  audit: Content;
}

/** Draws one point of sale, or the settings of the whole account. */
export function storeView({ say, mayChange }: PageContext, parts: StoreParts): View {
  const { storeId, name, address, missing, register, settings, acquirer, audit } = parts;
  const whole = say("Настройки для всех точек продаж", "Settings for all points of sale");
  const title = register === undefined ? whole : (name ?? say("Точка продаж", "Point of sale"));
  const content = html`<div data-store="${storeId}">
<div class="head">${pageLink("/settings/stores", say("← Точки продаж", "← Points of sale"), "back")}<h1>${title}</h1>${
    address === undefined ? undefined : html`<p class="soft">${address}</p>`
  }${mayChange ? undefined : html`<p class="hint">${say("Менять настройки может только администратор платформы.", "Only an administrator may change settings.")}</p>`}</div>
${
  register === undefined
    ? html`<div class="stack">${settings}${acquirer}${audit}</div>`
    : html`<div class="columns"><div class="stack">${register.state}${register.operations}</div><div class="stack">${missing}${register.form}${register.agent}${settings}${acquirer}${audit}</div></div>`
}
</div>`;
  return { page: "store", title, content };
}
