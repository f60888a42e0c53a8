import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const TEXT = readFileSync(new URL("../../../docker-compose.yml", import.meta.url), "utf8");

/** The lines of each service, by its name. */
function services(): [name: string, text: string][] {
  const [, below = ""] = TEXT.split(/^services:\n/m);
  const [block = ""] = below.split(/^(?=\S)/m);
  return [...block.matchAll(/^ {2}(\w+):\n((?: {3,}.*\n|\n)*)/gm)].map(([, name = "", text = ""]) => [name, text]);
}

describe("docker-compose.yml", () => {
  it("describes the server and its database", () => {
    expect(services().map(([name]) => name)).toEqual(["server", "database"]);
  });

  it.each(services())("bounds memory and log of %s, and starts it again when it ends", (_name, text) => {
    expect(text).toMatch(/^ {4}mem_limit: \d+[mg]$/m);
    expect(text).toMatch(/^ {4}logging: \*logging$/m);
    expect(text).toMatch(/^ {4}restart: unless-stopped$/m);
  });

  it("rotates logs", () => {
    expect(TEXT).toMatch(/x-logging: &logging\n {2}driver: json-file\n {2}options:\n {4}max-size: \d+m\n {4}max-file: "\d"/);
  });

  it("has no password of its own: without one that is given nothing starts", () => {
    const passwords = [...TEXT.matchAll(/\$\{POSTGRES_PASSWORD([^}]*)\}/g)].map(([, otherwise]) => otherwise);
    expect(passwords).toHaveLength(2);
    for (const otherwise of passwords) expect(otherwise).toMatch(/^:\?/);
    for (const [, given] of TEXT.matchAll(/(?:PASSWORD|SECRET_KEY): (.+)/g)) expect(given).toMatch(/^"?\$\{/);
  });
});
