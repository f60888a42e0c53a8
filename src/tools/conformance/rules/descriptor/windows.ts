import { at, childOf, childrenOf, everyElement, namesOf, textAt } from "../../descriptor/find.ts";
import type { Element } from "../../descriptor/xml.ts";
import type { Group } from "../rule.ts";
import { overBlock, overRoot } from "./rules-of.ts";

const WINDOW_TYPES = ["main", "chat", "mobile"];
const USES = ["good-folder-selector", "standard-dialogs", "navigation-service", "user-context"];
const SUPPORTS = ["open-feedback", "save-handler", "dirty-state", "change-handler", "update-provider"];
const BOOLEANS = ["useContextKey", "useSelected"];

/** Pages, buttons and actions of the descriptor (platform-contracts 2.2). */
export const windowsGroup: Group = {
  id: "descriptor/windows",
  rules: [
    overBlock(
      {
        id: "descriptor/windows/iframes",
        title: "iframes holds at most one window of each type",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: "iframe elements with the attributes type (main, chat or mobile, each at most once) and sourceUrl; uses only in main",
        mend: "Keep one iframe a type, give each a sourceUrl, and move uses into the main one.",
      },
      ["iframes"],
      (iframes) => {
        const types = iframes.children.map((frame) => frame.attributes.get("type") ?? "none");
        return [
          ...iframes.children.filter(({ name }) => name !== "iframe").map(({ name }) => `iframes holds ${name}`),
          ...types.filter((type) => !WINDOW_TYPES.includes(type)).map((type) => `an iframe's type is ${type}`),
          ...types.filter((type, index) => types.indexOf(type) < index).map((type) => `two iframes are of type ${type}`),
          ...iframes.children.filter((frame) => !frame.attributes.has("sourceUrl")).map(() => "an iframe has no sourceUrl"),
          ...iframes.children
            .filter((frame) => frame.attributes.get("type") !== "main" && childOf(frame, "uses") !== undefined)
            .map((frame) => `the ${frame.attributes.get("type") ?? ""} window has uses`),
        ];
      },
    ),
    overRoot(
      {
        id: "descriptor/windows/uses",
        title: "uses and supports name abilities that exist",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: `uses holds any of ${USES.join(", ")}; supports any of ${SUPPORTS.join(", ")}`,
        mend: "Correct the spelling, or take out what is not known: the upload is refused with it.",
      },
      (root) => [...strangersIn(root, "uses", USES), ...strangersIn(root, "supports", SUPPORTS)],
    ),
    overRoot(
      {
        id: "descriptor/windows/booleans",
        title: "useContextKey, useSelected and expand are true or false",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: "true or false in the attributes useContextKey and useSelected and in the element expand",
        mend: "Write true or false, in small letters.",
      },
      (root) =>
        [...everyElement(root)].flatMap((element) => [
          ...[...element.attributes]
            .filter(([name, value]) => BOOLEANS.includes(name) && !isBoolean(value))
            .map(([name, value]) => `${element.name}/@${name} is "${value}"`),
          ...(element.name === "expand" && !isBoolean(element.text) ? [`expand is "${element.text}"`] : []),
        ]),
    ),
    overBlock(
      {
        id: "descriptor/windows/widgets",
        title: "every widget has a page and a height, one for each extension point",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: "widgets holds one element for each extension point, with sourceUrl and height/fixed such as 150px",
        mend: "Add the missing child, join widgets of the same page; 0px hides a widget.",
      },
      ["widgets"],
      (widgets) => [
        ...namesOf(widgets)
          .filter((name, index, all) => all.indexOf(name) < index)
          .map((name) => `${name} has two widgets`),
        ...widgets.children.filter((widget) => (textAt(widget, "sourceUrl") ?? "") === "").map(({ name }) => `${name} has no sourceUrl`),
        ...widgets.children
          .filter((widget) => !/^\d+px$/.test(textAt(widget, "height", "fixed") ?? ""))
          .map(({ name }) => `${name} has no height/fixed in px`),
      ],
    ),
    overBlock(
      {
        id: "descriptor/windows/popups",
        title: "every popup has a name and a page",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: "popup elements with the children name and sourceUrl",
        mend: "Add the missing child.",
      },
      ["popups"],
      (popups) =>
        childrenOf(popups, "popup").flatMap((popup) =>
          ["name", "sourceUrl"].filter((name) => (textAt(popup, name) ?? "") === "").map((name) => `a popup has no ${name}`),
        ),
    ),
    overRoot(
      {
        id: "descriptor/windows/buttons",
        title: "every button and action has a name and a title",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: "button and action elements with the attributes name and title; a button also with locations",
        mend: "Add the missing attribute; a button without locations is shown nowhere.",
      },
      (root) => {
        const buttons = childrenOf(at(root, "buttons") ?? EMPTY, "button");
        const actions = childrenOf(at(root, "scenario") ?? EMPTY, "action");
        return [
          ...[...buttons, ...actions].flatMap((element) =>
            ["name", "title"].filter((name) => !element.attributes.get(name)).map((name) => `a ${element.name} has no ${name}`),
          ),
          ...buttons.filter((button) => (childOf(button, "locations")?.children.length ?? 0) === 0).map(() => "a button has no locations"),
        ];
      },
    ),
  ],
};

const EMPTY: Element = { name: "", prefix: "", attributes: new Map(), children: [], text: "" };

function strangersIn(root: Element, list: string, known: readonly string[]): string[] {
  return [...everyElement(root)]
    .filter(({ name }) => name === list)
    .flatMap(namesOf)
    .filter((name) => !known.includes(name))
    .map((name) => `${list} holds ${name}, which is not known`);
}

function isBoolean(text: string): boolean {
  return text === "true" || text === "false";
}
