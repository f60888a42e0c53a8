import { drawnInSteps, html, type Markup } from "../../html.ts";
import type { Say } from "../../language.ts";
import type { View } from "../../layout.ts";
import type { PageContext } from "../context.ts";
import { loyaltySwitch } from "./loyalty-switch.ts";
import { control, exchange, PROGRAMME_BASE, type ProgrammeView } from "./programme-controls.ts";
import { EFFECTS, PROGRAMME_GROUPS, PROGRAMME_LISTS, type ProgrammeList } from "./programme-fields.ts";
import { itemFields, itemsIn, type Typed } from "./programme-form.ts";
import { sampleSection } from "./sample-section.ts";

/** Draws the page of the programme: whether tills use it, and its form. */
export async function programmePage(context: PageContext, view: ProgrammeView, isOn: boolean): Promise<View> {
  const { say, mayChange } = context;
  const title = say("Программа лояльности", "Loyalty programme");
  const content = html`<div class="head"><h1>${title}</h1>${
    mayChange
      ? undefined
      : html`<p class="hint">${say("Менять программу может только администратор платформы.", "Only an administrator may change the programme.")}</p>`
  }</div><div class="stack">${loyaltySwitch(say, isOn, mayChange)}${await programmeSection(context, view)}</div>`;
  return { page: "loyalty", title, content };
}

/** Draws the part that the form's acts replace. Drawn in steps, because a programme may have 200 rules with many controls each. */
export async function programmeSection(context: PageContext, view: ProgrammeView, said?: Markup): Promise<Markup> {
  const { say, mayChange } = context;
  const { version, problems, trouble } = view;
  const lists: Markup[] = [];
  for (const list of PROGRAMME_LISTS) lists.push(await listCard(say, list, view, mayChange));
  return html`<section class="stack" id="programme">
${said}
<form class="stack" hx-post="${PROGRAMME_BASE}" hx-target="#programme" hx-swap="outerHTML" hx-sync="this:drop" autocomplete="off" novalidate>
<fieldset${mayChange ? undefined : html` disabled`}>
<input type="hidden" name="seen.version" value="${version}">
${trouble}
${problems.size === 0 ? undefined : html`<p class="panel red">${say("Исправьте отмеченное. Остальное осталось, как вы ввели.", "Mend what is marked. Everything else is as you typed it.")}</p>`}
<div class="card programme">${version === 0 ? html`<p class="hint">${say("Своей программы ещё нет: действуют значения по умолчанию.", "No programme was set yet: the defaults count.")}</p>` : undefined}
${PROGRAMME_GROUPS.map(
  ({ legend, fields }) =>
    html`<fieldset><legend>${say(...legend)}</legend><div class="fields">${fields.map((one) => control(say, one, view))}</div></fieldset>`,
)}</div>
${lists}
${mayChange ? saveBar(say) : undefined}
${mayChange ? sampleSection(context, view) : undefined}
</fieldset>
</form>
</section>`;
}

function saveBar(say: Say): Markup {
  return html`<div class="actions"><button type="submit" class="primary" data-action="save" id="save-programme">${say("Сохранить", "Save")}</button><a href="#sample" class="hint">${say("Проверить на примере ниже", "Try it on the sample below")}</a></div>`;
}

/** How many items are drawn in one step: few, because a rule may have a choice of all points of sale. */
const ITEMS_A_STEP = 5;

async function listCard(say: Say, list: ProgrammeList, view: ProgrammeView, mayChange: boolean): Promise<Markup> {
  const count = itemsIn(view.typed, list);
  const items = await drawnInSteps([...Array(count).keys()], (index) => itemMarkup(say, list, index, view, mayChange), ITEMS_A_STEP);
  return html`<fieldset class="card"><legend class="title">${say(...list.legend)}</legend>
${count === 0 ? html`<p class="soft">${say(...list.empty)}</p>` : undefined}
${items}
${mayChange ? html`<div class="actions"><button type="button" class="small" id="add-${list.name}"${exchange(`add=${list.name}`)}>${say(...list.add)}</button></div>` : undefined}
</fieldset>`;
}

function itemMarkup(say: Say, list: ProgrammeList, index: number, view: ProgrammeView, mayChange: boolean): Markup {
  const fields = itemFields(list, index);
  const isAdded = view.added?.list === list.name && view.added.index === index;
  const isOpen = isAdded || fields.some(({ name }) => view.problems.has(name));
  const remove = say("Убрать", "Take it away");
  const title = itemTitle(say, list, index, view.typed);
  const rare = fields.filter((field) => field.rare);
  const isWrong = rare.some(({ name }) => view.problems.has(name));
  return html`<details class="item" id="item-${list.name}-${index}"${isOpen ? html` open` : undefined}><summary>${title}</summary><div class="fields">${fields
    .filter((field) => !field.rare)
    .map((one) => control(say, one, view))}</div>
${
  rare.length === 0
    ? undefined
    : html`<details class="below" id="more-${list.name}-${index}"${isWrong ? html` open` : undefined}><summary>${say("Другие условия", "More conditions")}</summary><div class="fields">${rare.map((one) => control(say, one, view))}</div></details>`
}
${mayChange ? html`<div class="actions below"><button type="button" class="quiet small" aria-label="${remove}: ${title}"${exchange(`remove=${list.name}.${index}`)}>${remove}</button></div>` : undefined}</details>`;
}

function itemTitle(say: Say, { name }: ProgrammeList, index: number, typed: Typed): string {
  const value = (field: string) => typed.get(`${name}.${index}.${field}`) ?? "";
  if (name === "tiers") return `${value("name")}: ${say(`от ${value("fromRoubles")} ₽`, `from ${value("fromRoubles")} ₽`)}`;
  const effect = EFFECTS.find(([one]) => one === value("effect"))?.[1];
  return `${value("id")}: ${effect === undefined ? "" : say(...effect)} ${value("value")}`;
}
