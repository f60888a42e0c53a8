import { html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { type FilterName, type ListFilter, queryWith } from "./filter.ts";

interface ListParts {
  say: Say;
  /** For example `/console/operations`. */
  address: string;
  filter: ListFilter;
  title: string;
  hint?: string;
  /** The fields of the search form. `q`: the field for any text. */
  fields: readonly FilterName[];
  states?: readonly { value: string; label: string }[];
  head: readonly Head[];
  rows: readonly Markup[];
  /** Replaces the words of an empty list. */
  instead?: Markup;
  /** Identifies the last row. The next page of the list begins after this row. Absent: no more rows. */
  next?: string;
}

/** The words above a column. `sum`: a column of sums, which is right-aligned. */
type Head = string | { sum: string };

function headCell(head: Head): Markup {
  return typeof head === "string" ? html`<th scope="col">${head}</th>` : html`<th scope="col" class="sum">${head.sum}</th>`;
}

/** Draws a list with its search form, its export link and its link to the next page. */
export function listPage(parts: ListParts): Markup {
  const { say, address, filter, title, head, rows, next } = parts;
  return html`<div class="head"><h1>${title}</h1></div>
${searchForm(parts)}
${
  rows.length === 0
    ? (parts.instead ??
      html`<p class="card soft">${filter.typed.size === 0 ? say("Здесь пока ничего нет.", "There is nothing here yet.") : say("Ничего не найдено.", "Nothing was found.")}</p>`)
    : html`<div class="card table"><table><thead><tr>${head.map(headCell)}</tr></thead><tbody>${rows}</tbody></table></div>`
}
<div class="actions below">${
    next === undefined
      ? undefined
      : html`<a class="button" rel="next" href="${address}${queryWith(filter, { page: next })}">${say("Дальше", "More")}</a>`
  }<a class="button quiet" data-action="export" href="${address}.csv${queryWith(filter, {})}">${say("Выгрузить в CSV", "Export as CSV")}</a></div>`;
}

function searchForm({ say, address, filter, fields, states, hint }: ListParts): Markup {
  const value = (name: FilterName) => filter.typed.get(name) ?? "";
  const text = (name: FilterName, label: string, type: "search" | "text" | "date") =>
    html`<div class="field"><label for="by-${name}">${label}</label><input id="by-${name}" name="${name}" type="${type}" value="${value(name)}" autocomplete="off" maxlength="200"></div>`;
  return html`<form class="card search" method="get" action="${address}" role="search">
${
  fields.includes("q")
    ? html`<div class="field wide"><label for="by-q">${say("Поиск", "Search")}</label><input id="by-q" name="q" type="search" value="${value("q")}" autocomplete="off" maxlength="200"${
        hint === undefined ? undefined : html` aria-describedby="by-q-hint"`
      }>${hint === undefined ? undefined : html`<p class="hint" id="by-q-hint">${hint}</p>`}</div>`
    : undefined
}
${fields.includes("from") ? text("from", say("С дня", "From"), "date") : undefined}
${fields.includes("to") ? text("to", say("По день", "To"), "date") : undefined}
${states === undefined ? undefined : stateChoice(say, states, value("state"))}
${fields.includes("account") ? text("account", say("Аккаунт", "Account"), "text") : undefined}
${fields.includes("store") ? text("store", say("Точка продаж", "Point of sale"), "text") : undefined}
<div class="actions"><button class="primary">${say("Найти", "Find")}</button><a class="button quiet" href="${address}">${say("Сбросить", "Clear")}</a></div>
</form>`;
}

function stateChoice(say: Say, states: readonly { value: string; label: string }[], chosen: string): Markup {
  const all = [{ value: "", label: say("Любое", "Any") }, ...states];
  return html`<div class="field"><label for="by-state">${say("Состояние", "State")}</label><select id="by-state" name="state">${all.map(
    ({ value, label }) => html`<option value="${value}"${value === chosen ? html` selected` : undefined}>${label}</option>`,
  )}</select></div>`;
}
