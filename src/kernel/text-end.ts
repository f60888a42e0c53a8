/**
 * The text without what stands at its end and is to be dropped. A loop: a pattern such as `/[.\s]+$/` is tried from each place of a
 * long run anew, which takes the square of its length.
 */
export function withoutEnd(text: string, isDropped: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isDropped(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** An address without slashes at its end. */
export function withoutSlashes(address: string): string {
  return withoutEnd(address, (character) => character === "/");
}
