/** Returns an `externalCode`: 22 URL-safe characters (json-api 5.6). The id determines it, so the same seed gives the same code. */
export function externalCodeOf(id: string): string {
  return Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");
}
