import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";

interface Example {
  method: string;
  path: string;
  body: string | undefined;
}

/** The `curl` commands of `trying.md` that speak to the API, as requests. */
function examples(api: string): Example[] {
  const text = readFileSync(new URL("../../../src/tools/sandbox/trying.md", import.meta.url), "utf8");
  return [...text.matchAll(/^curl --compressed .*?(?=^curl |^```)/gms)].map(([command]) => {
    const shown = command.replaceAll("'$API'", api).replaceAll("$API", api);
    const path = /"?(http\S+?)"?\s/.exec(`${shown} `)?.[1] ?? "";
    const query = /--data-urlencode '([^=]+)=([^']*)'/.exec(shown);
    const body = / -d '(.*)'\s*$/s.exec(shown)?.[1];
    return {
      method: body === undefined ? "GET" : "POST",
      path: query === null ? path : `${path}?${query[1]}=${encodeURIComponent(query[2] ?? "")}`,
      body,
    };
  });
}

describe("the examples to try", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  it("are answered as they stand, and the sale stands in the shift", async () => {
    const commands = examples(sandbox.api);
    expect(commands).toHaveLength(5);
    const answers: SandboxAnswer[] = [];
    for (const { method, path, body } of commands) answers.push(await sandbox.call(method, path, body));
    for (const answer of answers) expect(answer.status, answer.text).toBe(200);
    const [found, made, stock, shift, sale] = answers;
    expect(found?.at("meta", "size")).toBeGreaterThan(0);
    expect(made?.at("name")).toBe("Чай травяной, 50 г");
    expect(stock?.at("rows")).toHaveLength(3);
    expect(sale?.at("retailShift", "meta", "href")).toBe(shift?.at("meta", "href"));
    expect(sale?.at("sum")).toBe(10980);
  });
});
