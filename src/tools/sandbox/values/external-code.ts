/** A generated `externalCode`: 22 URL-safe characters (5.6), made of an id so that a seed decides it. */
export function externalCodeOf(id: string): string {
  return Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");
}
