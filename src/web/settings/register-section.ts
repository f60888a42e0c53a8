import type { VersionedSetting } from "../../accounts/settings.ts";
import type { TriedAddress } from "../../operator/registers/register-desk.ts";
import { type Field, facts, field, told } from "../fields.ts";
import { type Content, html, type Markup } from "../html.ts";
import type { Say } from "../language.ts";
import { optionValueWords, optionWords, schemeWords } from "../words/register-words.ts";
import { SETTING_WORDS } from "../words/setting-words.ts";
import { type SeenSetting, seenControls } from "./seen-setting.ts";
import type { RegisterForm, RegisterOption } from "./services.ts";

export interface RegisterView {
  storeId: string;
  forms: readonly RegisterForm[];
  /** Absent: no register is set for this point of sale. */
  stored?: VersionedSetting;
  /** The setting as the person saw it. */
  seen: SeenSetting;
  /** The default register, while no register is set for this point of sale. */
  standard?: string;
  parts: Readonly<Record<string, string>>;
  address: string;
  /** Words beside a control, by its name without `register.`. */
  problems: ReadonlyMap<string, Content>;
  ports: readonly string[];
  tried?: TriedAddress;
  /** True: the register does not answer, and may be saved anyway. */
  mayForce?: boolean;
  mayChange: boolean;
  /** True: the form is sent together with another part. */
  beside?: boolean;
}

export const PREFIX = "register.";

/** Draws the form of a register. `said`: the result of the last act. */
export function registerSection(say: Say, view: RegisterView, said?: Markup): Markup {
  const { storeId, stored, standard, mayChange } = view;
  const base = `/settings/stores/${encodeURIComponent(storeId)}/register`;
  return html`<section class="card" id="register"${view.beside === true ? html` hx-swap-oob="true"` : undefined}>
<div><h2>${say("Касса этой точки", "Register of this point of sale")}</h2>${
    stored === undefined && standard !== undefined
      ? html`<p class="hint">${say("Своей кассы нет, работает касса сервера: ", "No register of its own; the server's is used: ")}<code>${standard}</code></p>`
      : undefined
  }</div>
${said}
<form hx-post="${base}" hx-target="#register" hx-swap="outerHTML" hx-sync="this:drop" autocomplete="off" novalidate>
<fieldset${mayChange ? undefined : html` disabled`}>
${seenControls("register", view.seen)}
${fields(say, view, base)}
${view.tried === undefined ? undefined : trialPanel(say, view.tried)}
${mayChange ? buttons(say, view, base) : undefined}
</fieldset>
</form>
</section>`;
}

function fields(say: Say, view: RegisterView, base: string): Content {
  const { forms, parts, problems, address } = view;
  const form = forms.find(({ scheme }) => scheme === parts.scheme);
  const options = Object.entries(form?.options ?? {});
  const scheme: Field = {
    name: `${PREFIX}scheme`,
    label: say("Вид кассы", "Kind of register"),
    value: parts.scheme ?? "",
    ...withProblem(problems, "scheme"),
    kind: {
      type: "choice",
      options: [
        ...(form === undefined ? [{ value: "", label: say("Выберите…", "Choose…") }] : []),
        ...forms.map((one) => ({ value: one.scheme, label: schemeWords(say, one.scheme) })),
      ],
      attributes: html` hx-post="${base}/form" hx-include="closest form" hx-target="#register" hx-swap="outerHTML" hx-trigger="change"`,
    },
  };
  const isOpen = options.some(([name]) => problems.has(name)) || problems.has("register");
  return html`<div class="fields">${field(say, scheme)}${form === undefined ? undefined : placeFields(say, form, view)}</div>
<details${isOpen ? html` open` : undefined}><summary>${say("Дополнительно", "More")}</summary><div class="fields">${options.map(
    ([name, option]) => field(say, optionField(say, name, option, view)),
  )}${field(say, {
    name: "register",
    label: say("Адрес целиком", "Whole address"),
    value: address,
    hint: say("Если изменить его, поля выше не считаются.", "Once changed, it counts in place of the fields above."),
    ...withProblem(problems, "register"),
    kind: { type: "text", maxLength: 512 },
  })}</div></details>`;
}

function placeFields(say: Say, { place }: RegisterForm, { parts, problems, ports }: RegisterView): Content {
  switch (place.kind) {
    case "name":
      return field(say, {
        name: `${PREFIX}name`,
        label: say("Название", "Name"),
        value: parts.name ?? "",
        hint: say("Латинские буквы, цифры, точка, дефис.", "Letters, digits, dots and dashes."),
        ...withProblem(problems, "name"),
        kind: { type: "text", maxLength: 150 },
      });
    case "network":
      return html`${field(say, {
        name: `${PREFIX}host`,
        label: say("IP-адрес или имя", "IP address or name"),
        value: parts.host ?? "",
        hint: say("Как в сетевых настройках кассы, например 192.168.1.50.", "As in the register's settings, such as 192.168.1.50."),
        ...withProblem(problems, "host"),
        kind: { type: "text", maxLength: 255 },
      })}${field(say, {
        name: `${PREFIX}port`,
        label: say("Порт", "Port"),
        value: parts.port ?? String(place.port),
        short: true,
        ...withProblem(problems, "port"),
        kind: { type: "text", maxLength: 5, inputMode: "numeric" },
      })}`;
    case "serial":
      return field(say, {
        name: `${PREFIX}port`,
        label: say("Порт", "Port"),
        value: parts.port ?? (ports.length === 1 ? (ports[0] ?? "") : ""),
        hint:
          ports.length === 0
            ? say(
                "На сервере не найдено ни одного порта. Подключите кабель и обновите.",
                "The server sees no port. Plug the cable in and load again.",
              )
            : say(`Найдены: ${ports.join(", ")}`, `Found: ${ports.join(", ")}`),
        ...withProblem(problems, "port"),
        kind: { type: "text", maxLength: 255, suggestions: ports },
      });
  }
}

function optionField(say: Say, name: string, option: RegisterOption, { parts, problems }: RegisterView): Field {
  const { values, standard = "", secret } = option;
  const value = parts[name] ?? "";
  const common = { name: `${PREFIX}${name}`, label: optionWords(say, name), ...withProblem(problems, name) };
  if (secret)
    return { ...common, value: "", hint: say("Пусто: без изменений.", "Empty: as it is."), kind: { type: "secret", isSet: value !== "" } };
  if ("least" in values) {
    const hint = say(
      `От ${values.least} до ${values.most}, обычно ${standard}.`,
      `${values.least} to ${values.most}, usually ${standard}.`,
    );
    return { ...common, value: value === "" ? standard : value, hint, kind: { type: "text", maxLength: 10, inputMode: "numeric" } };
  }
  const options = values.map((one) => ({ value: one, label: optionValueWords(say, name, one) }));
  return { ...common, value: value === "" ? standard : value, kind: { type: "choice", options } };
}

function withProblem(problems: RegisterView["problems"], name: string): Pick<Field, "problem"> {
  const problem = problems.get(name);
  return problem === undefined ? {} : { problem };
}

function buttons(say: Say, { stored, mayForce }: RegisterView, base: string): Markup {
  const clear = say("Убрать кассу у этой точки продаж?", "Take the register away from this point of sale?");
  return html`<div class="actions">
<button type="submit" class="primary" data-action="save">${say("Сохранить", "Save")}</button>
<button type="submit" data-action="test-connection" hx-post="${base}/test" hx-include="closest form" hx-target="#register" hx-swap="outerHTML">${say(
    "Проверить связь",
    "Test the connection",
  )}</button>
${mayForce ? html`<button type="submit" name="anyway" value="yes">${say("Сохранить без связи", "Save without an answer")}</button>` : undefined}
${
  stored === undefined
    ? undefined
    : html`<button type="submit" class="quiet" name="clear" value="yes" hx-post="${base}" hx-target="#register" hx-swap="outerHTML" hx-confirm="${clear}">${say(
        "Убрать кассу",
        "Take it away",
      )}</button>`
}
</div>`;
}

/** Draws the result of a trial: the register at the typed address, or why none answered. */
function trialPanel(say: Say, tried: TriedAddress): Markup {
  if (tried.kind === "answers") {
    const { identity, state } = tried;
    const systems = identity.taxSystems
      .map((one) => SETTING_WORDS.taxSystem?.values?.[one])
      .map((one) => (one === undefined ? "" : say(one.ru, one.en)));
    return html`<div class="panel green" data-tried="answers"><strong>${say("Касса ответила", "The register has answered")}</strong><div class="ink">${facts(
      [
        [say("Владелец", "Owner"), `${identity.sellerName}, ${say("ИНН", "INN")} ${identity.inn}`],
        [say("Адрес расчётов", "Address of settlement"), identity.address],
        [say("Место расчётов", "Place of settlement"), identity.place],
        [say("Заводской номер", "Serial number"), html`<span class="number">${identity.serialNumber}</span>`],
        [say("Регистрационный номер", "Registration number"), html`<span class="number">${identity.registrationNumber}</span>`],
        [say("Накопитель", "Drive"), html`<span class="number">${identity.driveNumber}</span>${testWords(say, identity.driveNumber)}`],
        [say("Налогообложение", "Tax systems"), systems.join(", ")],
        [say("Прошивка, ФФД", "Firmware, format"), `${identity.firmware}, ${identity.ffd}`],
        [
          say("Смена", "Shift"),
          state.shift.kind === "open"
            ? say(`№ ${state.shift.number} открыта`, `number ${state.shift.number}, open`)
            : say("закрыта", "closed"),
        ],
      ],
    )}</div></div>`;
  }
  return html`<div class="panel red" data-tried="${tried.kind}"><strong>${say("Касса не ответила", "The register has not answered")}</strong><span class="ink">${trialWords(say, tried)}</span></div>`;
}

function testWords(say: Say, driveNumber: string): string {
  return driveNumber.startsWith("9999") ? say(" (отладочный, чеки ненастоящие)", " (for tests, no real receipts)") : "";
}

function trialWords(say: Say, tried: Exclude<TriedAddress, { kind: "answers" }>): Content {
  if (tried.kind === "busy")
    return say("К кассе очередь операций. Повторите через минуту.", "Operations wait for the register. Try again in a minute.");
  const advice = say(
    "Проверьте, что она включена, кабель на месте и адрес верный.",
    "See that it is on, the cable is in, and the address is right.",
  );
  // A driver explains the failure in Russian. An address parser explains it in English, so its words are left out.
  return tried.kind === "invalid" ? advice : html`${advice} <span class="soft" lang="ru">${tried.reason}</span>`;
}

export function savedWords(say: Say): Markup {
  return told("done", say("Касса сохранена", "The register is saved"));
}
