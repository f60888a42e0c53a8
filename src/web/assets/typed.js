// Nothing that was typed is lost: it stays over a part that is drawn anew, and is asked about before the page is left.
// A module of its own, loaded before `page.js`, so that typed values are back before the page looks for what is wrong.
const russian = document.documentElement.lang === "ru";

document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  const form = ctx.sourceElement.closest("form");
  ctx.sent = form === null ? [] : controlsOf(form).map((control) => ({ control, value: control.value, checked: control.checked }));
  ctx.confirm ||= leavingWords(ctx.sourceElement);
});

/**
 * A part that replaces another part of the page keeps what was unfolded. It also keeps what was typed into the forms that were not sent,
 * and what was typed into the sent form after it was sent.
 */
let unfolded = [];
let typed = [];
document.addEventListener("htmx:before:swap", ({ detail }) => {
  unfolded = [...document.querySelectorAll("details[id][open]")].map(({ id }) => id);
  const answered = detail.ctx.sourceElement.closest("form");
  const others = [...document.querySelectorAll("#main form[hx-post]")].filter((form) => form !== answered);
  typed = [...others.flatMap(typedIn), ...detail.ctx.sent.filter(isTypedSince).map((one) => laterIn(answered, one))];
});

document.addEventListener("htmx:after:swap", () => {
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
  for (const one of typed) putBack(one);
  typed = [];
});

function controlsOf(form) {
  return [...form.elements].filter(({ name, type }) => name && type !== "hidden" && type !== "submit");
}

function isTypedSince({ control, value, checked }) {
  return control.value !== value || control.checked !== checked;
}

/** The answer shows a control as it was before, or as it was sent. When it shows something else, somebody else has changed it. */
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
  return [...form.elements].filter(isChanged).map(({ name, value, checked }) => ({ action, shown, name, value, checked }));
}

/** What a form sends without showing it: the version of what it shows. Another version has to be seen before it is changed. */
function shownBy(form) {
  return [...form.querySelectorAll("input[type=hidden]")].map(({ name, value }) => `${name}=${value}`).join("&");
}

function isChanged(control) {
  if (control.type === "hidden" || !control.name) return false;
  if (control.type === "checkbox") return control.checked !== control.defaultChecked;
  if (control.options) return control.selectedIndex !== shownFirst(control);
  return control.value !== control.defaultValue;
}

/** The choice that a list shows before anybody chooses. A list of which the page marks none shows its first. */
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

/** What is asked before a link that puts another page in the place of what was typed and not saved. */
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
