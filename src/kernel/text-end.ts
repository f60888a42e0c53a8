/**
 * Returns the text without the dropped characters at its end. It uses a loop, because a pattern such as `/[.\s]+$/` starts again at each
 * place of a long run. The time then grows with the square of the run's length.
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
