import { type VersionedSetting, WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { controlOf, describeSetting, SETTING_NAMES, type SettingName } from "../../accounts/settings-schema.ts";
import { type Field, field } from "../fields.ts";
import { type Content, html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { GROUP_WORDS, SETTING_GROUPS, SETTING_WORDS, type SettingGroup, valueWords } from "../words/setting-words.ts";
import { type SeenSetting, seenControls, seenNow } from "./seen-setting.ts";

/** Settings with separate forms, drawn from the catalogues. */
const OWN_FORMS: readonly SettingName[] = ["register", "acquirer"];

export interface SettingsView {
  storeId: string;
  /** The stored settings of the point of sale and of the whole account. */
  stored: readonly VersionedSetting[];
  /** The values in force, with defaults: `taxSystem` → `osn`. */
  inForce: Readonly<Record<string, unknown>>;
  /** The typed values by setting name. Absent: the stored values are shown. */
  typed?: ReadonlyMap<string, string>;
  /** The settings as the person saw them. Absent: the stored settings. */
  seen?: ReadonlyMap<string, SeenSetting>;
  problems: ReadonlyMap<string, Content>;
  mayChange: boolean;
}

/** Returns the settings in the form of a point of sale, or of the whole account. */
export function settingsIn(storeId: string): SettingName[] {
  return SETTING_NAMES.filter((name) => {
    const ofAccount = describeSetting(name).scope === "account";
    return !OWN_FORMS.includes(name) && (ofAccount ? storeId === WHOLE_ACCOUNT : true);
  });
}

/** Draws the form of the settings. `said`: the result of the last act. */
export function settingsSection(say: Say, view: SettingsView, said?: Markup): Markup {
  const { storeId, mayChange, problems } = view;
  const names = settingsIn(storeId);
  const groups = SETTING_GROUPS.map((group) => ({ group, names: names.filter((name) => groupOf(name) === group) }));
  const title = storeId === WHOLE_ACCOUNT ? say("Для всех точек продаж", "For all points of sale") : say("Настройки точки", "Settings");
  return html`<section class="card" id="settings">
<h2>${title}</h2>
${said}
<form hx-post="/settings/stores/${encodeURIComponent(storeId)}" hx-target="#settings" hx-swap="outerHTML" hx-sync="this:drop" autocomplete="off" novalidate>
<fieldset${mayChange ? undefined : html` disabled`}>
${problems.size === 0 ? undefined : html`<p class="panel red">${say("Исправьте отмеченное. Остальное осталось, как вы ввели.", "Mend what is marked. Everything else is as you typed it.")}</p>`}
${groups.filter((one) => one.names.length > 0).map((one) => groupMarkup(say, one, view))}
${mayChange ? html`<div class="actions"><button type="submit" class="primary" data-action="save">${say("Сохранить", "Save")}</button></div>` : undefined}
</fieldset>
</form>
</section>`;
}

function groupOf(name: SettingName): SettingGroup {
  return SETTING_WORDS[name]?.group ?? (describeSetting(name).scope === "account" ? "account" : "work");
}

function groupMarkup(say: Say, { group, names }: { group: SettingGroup; names: readonly SettingName[] }, view: SettingsView): Markup {
  const { ru, en } = GROUP_WORDS[group];
  return html`<fieldset><legend>${say(ru, en)}</legend><div class="fields">${names.map((name) => {
    const seen = view.seen?.get(name) ?? seenNow(rowOf(view, name));
    return html`${seenControls(name, seen)}${field(say, fieldOf(say, name, view))}`;
  })}</div></fieldset>`;
}

function rowOf({ stored, storeId }: SettingsView, name: SettingName): VersionedSetting | undefined {
  return stored.find((row) => row.storeId === storeId && row.name === name);
}

function fieldOf(say: Say, name: SettingName, view: SettingsView): Field {
  const words = SETTING_WORDS[name];
  const value = view.typed?.get(name) ?? spelling(name, rowOf(view, name)?.shown ?? "");
  const problem = view.problems.get(name);
  const common = {
    name,
    label: words === undefined ? name : say(words.label.ru, words.label.en),
    value,
    hint: words === undefined ? describeSetting(name).description : say(words.hint.ru, words.hint.en),
    ...(problem === undefined ? {} : { problem }),
  };
  const standard = standardOf(say, name, view);
  const control = controlOf(name);
  if (control.kind === "text") {
    return { ...common, kind: { type: "text", maxLength: control.maxLength, placeholder: standard } };
  }
  const options = [
    { value: "", label: standard === "" ? say("Не задано", "Not set") : say(`По умолчанию: ${standard}`, `Default: ${standard}`) },
    ...control.values.map((one) => ({ value: one, label: valueWords(say, name, one) })),
  ];
  return { ...common, kind: { type: "choice", options } };
}

/** Returns the page's spelling of a value. The command line accepts more spellings. */
function spelling(name: SettingName, shown: string): string {
  if (name !== "vatPayer") return shown;
  return shown === "true" ? "yes" : shown === "false" ? "no" : shown;
}

/**
 * Returns the words for the value that applies while nothing is set here. Empty: there is no such value, or a value is set here and none
 * for the whole account. In the second case the default is unknown until the value here is removed.
 */
function standardOf(say: Say, name: SettingName, view: SettingsView): string {
  const general =
    view.storeId === WHOLE_ACCOUNT ? undefined : view.stored.find((row) => row.storeId === WHOLE_ACCOUNT && row.name === name);
  if (general !== undefined) return valueWords(say, name, general.shown);
  if (rowOf(view, name) !== undefined) return "";
  const value = view.inForce[name];
  return value === undefined ? "" : valueWords(say, name, String(value));
}

/** Returns the words beside a refused value. They say what is accepted. */
export function refusedWords(say: Say, name: SettingName): string {
  const words = SETTING_WORDS[name];
  if (words === undefined) return say(`Не подходит. Принимается: ${describeSetting(name).values}`, `Takes ${describeSetting(name).values}`);
  return say(`Не подходит. ${words.hint.ru}`, `Not accepted. ${words.hint.en}`);
}

/** Returns the words beside a value that another person has changed since, with both values. Nothing was overwritten. */
export function overtakenWords(say: Say, name: SettingName, now: string, typed: string): Markup {
  const nothing = say("не задано", "not set");
  const [theirs, yours] = [now, typed].map((value) => (value === "" ? nothing : valueWords(say, name, value)));
  return html`${say("Пока вы меняли, здесь стало", "Meanwhile this became")} «${theirs}». ${say("У вас", "You have")} «${yours}». ${say(
    "Сохраните ещё раз, чтобы поставить ваше.",
    "Save again to set yours.",
  )}`;
}
