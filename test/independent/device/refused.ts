/** An error code of chapter 8, on its way into the answer. */
export class Refused extends Error {
  readonly code: number;
  constructor(code: number, why: string) {
    super(`${code.toString(16).toUpperCase().padStart(2, "0")}h: ${why}`);
    this.code = code;
  }
}
