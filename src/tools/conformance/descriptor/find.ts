import type { Element } from "./xml.ts";

/** Returns the children with this name. */
export function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter((child) => child.name === name);
}

export function childOf(element: Element, name: string): Element | undefined {
  return element.children.find((child) => child.name === name);
}

/** Returns the element at a path of names. At each step the first child with the name is taken. */
export function at(root: Element, ...path: string[]): Element | undefined {
  return path.reduce<Element | undefined>((found, name) => (found === undefined ? undefined : childOf(found, name)), root);
}

export function textAt(root: Element, ...path: string[]): string | undefined {
  return at(root, ...path)?.text;
}

/** Yields the root, then every element below it. */
export function* everyElement(root: Element): Generator<Element> {
  yield root;
  for (const child of root.children) yield* everyElement(child);
}

export function namesOf(element: Element): string[] {
  return element.children.map(({ name }) => name);
}
