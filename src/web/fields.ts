import { type Content, html, type Markup } from "./html.ts";
import type { Say } from "./language.ts";

/** A control with its label and hint. `problem`: words about a wrong value. */
export interface Field {
  name: string;
  /** Distinguishes two controls with one name on a page. */
  idPrefix?: string;
  label: string;
  value: string;
  hint?: Content;
  problem?: Content;
  /** The control gets the focus without a script. */
  focus?: boolean;
  short?: boolean;
  kind:
    | { type: "text"; maxLength: number; inputMode?: "numeric" | "email" | "url"; suggestions?: readonly string[]; placeholder?: string }
    | { type: "secret"; isSet: boolean }
    /** A checked control sends `yes`. An unchecked control sends nothing. */
    | { type: "check" }
    | { type: "date" }
    | { type: "choice"; options: readonly { value: string; label: string }[]; attributes?: Content };
}

export function field(say: Say, one: Field): Markup {
  const { label, problem } = one;
  const name = `${one.idPrefix ?? ""}${one.name}`;
  // The problem already says what is accepted, so the hint would repeat it.
  const hint = problem === undefined ? one.hint : undefined;
  const described = [...(problem === undefined ? [] : [errorId(name)]), ...(hint === undefined ? [] : [hintId(name)])].join(" ");
  const aria = html`${described === "" ? undefined : html` aria-describedby="${described}"`}${
    problem === undefined ? undefined : html` aria-invalid="true"`
  }${one.focus ? html` autofocus` : undefined}`;
  const labelled =
    one.kind.type === "check"
      ? html`<label class="check">${control(say, one, aria)} ${label}</label>`
      : html`<label for="${controlId(name)}">${label}</label>${control(say, one, aria)}`;
  return html`<div class="field${one.short ? " short" : ""}">
${labelled}
${problem === undefined ? undefined : html`<p class="wrong" id="${errorId(name)}" data-error>${problem}</p>`}
${hint === undefined ? undefined : html`<p class="hint" id="${hintId(name)}">${hint}</p>`}
</div>`;
}

function control(say: Say, { name, idPrefix = "", value, kind }: Field, aria: Content): Markup {
  const id = controlId(`${idPrefix}${name}`);
  switch (kind.type) {
    case "choice":
      return html`<select id="${id}" name="${name}"${aria}${kind.attributes}>${kind.options.map(
        (option) => html`<option value="${option.value}"${option.value === value ? html` selected` : undefined}>${option.label}</option>`,
      )}</select>`;
    case "check":
      return html`<input id="${id}" name="${name}" type="checkbox" value="yes"${value === "yes" ? html` checked` : undefined}${aria}>`;
    case "date":
      return html`<input id="${id}" name="${name}" type="date" value="${value}"${aria}>`;
    case "secret":
      return html`<input id="${id}" name="${name}" type="password" autocomplete="off" value="" placeholder="${
        kind.isSet ? say("задан, не показывается", "set, not shown") : ""
      }"${aria}>`;
    case "text": {
      const { maxLength, inputMode, suggestions = [], placeholder } = kind;
      const list = suggestions.length === 0 ? undefined : `${id}-list`;
      return html`<input id="${id}" name="${name}" type="text" value="${value}" maxlength="${maxLength}" autocomplete="off"${
        inputMode === undefined ? undefined : html` inputmode="${inputMode}"`
      }${placeholder === undefined ? undefined : html` placeholder="${placeholder}"`}${
        list === undefined ? undefined : html` list="${list}"`
      }${aria}>${
        list === undefined
          ? undefined
          : html`<datalist id="${list}">${suggestions.map((one) => html`<option value="${one}"></option>`)}</datalist>`
      }`;
    }
  }
}

function controlId(name: string): string {
  return `field-${name.replaceAll(/[^A-Za-z0-9]/g, "-")}`;
}

function errorId(name: string): string {
  return `${controlId(name)}-error`;
}

function hintId(name: string): string {
  return `${controlId(name)}-hint`;
}

/** Returns the result of an act. The script removes the words from the page and announces them. */
export function told(kind: "done" | "error", words: Content): Markup {
  return html`<template data-say="${kind}">${words}</template>`;
}

/** Draws names and values as a list. Omits rows without a value. */
export function facts(rows: readonly (readonly [string, Content])[]): Markup {
  const known = rows.filter(([, value]) => value !== undefined && value !== "");
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

interface Refused {
  typed: ReadonlyMap<string, string>;
  problem: { field: string; words: string };
}

/** The longest reason, in characters: one line of a record. A longer reason is cut. */
export const MAX_REASON = 500;

/** Returns the typed reason of an act. Empty: no reason. */
export function reasonIn(typed: ReadonlyMap<string, string>): string {
  return typed.get("reason")?.trim().slice(0, MAX_REASON) ?? "";
}

/** Draws the control for the reason of an act, which `reasonIn` reads. `hint`: where the reason is stored. */
export function reasonField(say: Say, form: Refused | undefined, { hint, idPrefix = "" }: { hint: string; idPrefix?: string }): Markup {
  return field(say, {
    name: "reason",
    ...(idPrefix === "" ? {} : { idPrefix }),
    label: say("Причина", "Reason"),
    value: form?.typed.get("reason") ?? "",
    hint,
    ...problemOf(form, "reason"),
    kind: { type: "text", maxLength: MAX_REASON },
  });
}

/** Returns the problem of a control, which also gets the focus. Empty for a correct control. */
export function problemOf<F extends Refused>(form: F | undefined, name: F["problem"]["field"]): Pick<Field, "problem" | "focus"> {
  return form?.problem.field === name ? { problem: form.problem.words, focus: true } : {};
}
