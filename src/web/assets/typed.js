// Keeps typed values when a part is redrawn, and asks the person before leaving the page. This is a separate module, loaded before
// `page.js`, so that the typed values are back before `page.js` looks for wrong controls.
const russian = document.documentElement.lang === "ru";

document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  const form = ctx.sourceElement.closest("form");
  ctx.sent = form === null ? [] : controlsOf(form).map((control) => ({ control, value: control.value, checked: control.checked }));
  ctx.confirm ||= leavingWords(ctx.sourceElement);
});

/**
 * When a part of the page is replaced, opened details stay open. Values typed into unsent forms stay too, and so do values typed into the
 * sent form after sending.
 */
let unfolded = [];
let typed = [];
document.addEventListener("htmx:before:swap", ({ detail }) => {
  unfolded = [...document.querySelectorAll("details[id][open]")].map(({ id }) => id);
  const answered = detail.ctx.sourceElement.closest("form");
  const others = [...document.querySelectorAll("#main form[hx-post]")].filter((form) => form !== answered);
  const sent = detail.ctx.sent.filter((one) => isTypedSince(one) || isSecretOf(detail.ctx, one));
  typed = [...others.flatMap(typedIn), ...sent.map((one) => laterIn(answered, one))];
});

/**
 * No answer contains a password. A typed password stays in its control until the form is saved: a person who tested a register with it must
 * not save the register without it.
 */
function isSecretOf({ sourceElement, response }, { control }) {
  const form = sourceElement.closest("form");
  const isSaved = response.status === 200 && (sourceElement.getAttribute("hx-post") ?? actionOf(form)) === actionOf(form);
  return control.type === "password" && control.value !== "" && !isSaved;
}

// Puts the values back in the same turn as the replacement. `htmx:after:swap` would be too late: another part may have begun its own swap
// by then, and a person would see the empty controls meanwhile.
document.addEventListener("htmx:before:settle", () => {
  unfold();
  for (const one of typed) putBack(one);
});
// When the replaced part settles, htmx gives elements with an id the attributes of the answer, so details are closed again.
document.addEventListener("htmx:after:settle", unfold);

function unfold() {
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
}

/** Returns the controls that a person fills in. Buttons also have names and values, but nobody types them. */
function controlsOf(form) {
  return [...form.elements].filter(({ name, type }) => name && !["hidden", "submit", "button", "reset"].includes(type));
}

function isTypedSince({ control, value, checked }) {
  return control.value !== value || control.checked !== checked;
}

/**
 * `known`: the control's value from before and its sent value. If the answer shows a third value, another person has set it, and it stays.
 */
function laterIn(form, { control, value: sent }) {
  const { name, value, checked } = control;
  return { action: actionOf(form), name, value, checked, known: [shownIn(control), sent] };
}

function actionOf(form) {
  return form.getAttribute("hx-post") ?? form.getAttribute("hx-get");
}

function shownIn(control) {
  return control.options ? control.options[shownFirst(control)]?.value : control.defaultValue;
}

function typedIn(form) {
  const [action, shown] = [form.getAttribute("hx-post"), shownBy(form)];
  return controlsOf(form)
    .filter(isChanged)
    .map(({ name, value, checked }) => ({ action, shown, name, value, checked }));
}

/**
 * Returns the hidden values of a form: the version of the shown values. Typed values are not put back beside another version: a person must
 * see it before changing it.
 */
function shownBy(form) {
  return [...form.querySelectorAll("input[type=hidden]")].map(({ name, value }) => `${name}=${value}`).join("&");
}

function isChanged(control) {
  if (control.type === "checkbox") return control.checked !== control.defaultChecked;
  if (control.options) return control.selectedIndex !== shownFirst(control);
  return control.value !== control.defaultValue;
}

/** Returns the index of the list's initial option: the option that the page marks, otherwise the first. */
function shownFirst({ options }) {
  return Math.max(
    0,
    [...options].findIndex((option) => option.defaultSelected),
  );
}

function putBack({ action, shown, known, name, value, checked }) {
  const form = [...document.querySelectorAll("#main form")].find((one) => actionOf(one) === action);
  const isAnother = form !== undefined && shown !== undefined && shownBy(form) !== shown;
  const control = form === undefined || isAnother ? undefined : form.elements.namedItem(name);
  if (!control || control instanceof RadioNodeList || known?.includes(shownIn(control)) === false) return;
  if (control.type === "checkbox") control.checked = checked;
  else control.value = value;
}

/** Returns the question to ask before a person follows a link that would discard unsaved typed values. */
function leavingWords(link) {
  if (!link.matches("a[hx-get]") || !isUnsaved()) return undefined;
  return russian ? "Введённое не сохранено и пропадёт. Уйти со страницы?" : "What was typed is not saved and will be lost. Leave the page?";
}

function isUnsaved() {
  return [...document.querySelectorAll("#main form[hx-post]")].some(
    (form) => form.querySelector("[aria-invalid=true]") !== null || typedIn(form).length > 0,
  );
}

window.addEventListener("beforeunload", (event) => {
  if (isUnsaved()) event.preventDefault();
});
