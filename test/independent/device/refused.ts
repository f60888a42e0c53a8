/** Thrown to answer a command with an error code of shtrih-protocol 8. */
export class Refused extends Error {
  readonly code: number;
  constructor(code: number, why: string) {
    super(`${code.toString(16).toUpperCase().padStart(2, "0")}h: ${why}`);
    this.code = code;
  }
}
