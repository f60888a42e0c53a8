/**
 * Returns the text without those characters at its end for which `isDropped` is true. A pattern such as `/[.\s]+$/` would take quadratic
 * time for a long run of such characters inside the text.
 */
export function withoutEnd(text: string, isDropped: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isDropped(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Returns the address without slashes at its end. */
export function withoutSlashes(address: string): string {
  return withoutEnd(address, (character) => character === "/");
}
