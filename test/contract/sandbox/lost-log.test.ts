import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/registers.ts";
import { testSandbox } from "../../support/sandbox.ts";

it("a write that could not be stored is never shown: from then on every read and write is 503 with code 1095", async () => {
  const data = join(await temporaryFolder(), "account");
  const sandbox = await testSandbox({ data });
  const stored = await sandbox.call("POST", "entity/product", { name: "Записан" });
  rmSync(data, { recursive: true });
  const writes = await Promise.all(["1", "2", "3"].map((name) => sandbox.call("POST", "entity/product", { name })));
  const later = [
    await sandbox.call("GET", "entity/product"),
    await sandbox.call("GET", String(stored.at("meta", "href"))),
    await sandbox.call("PUT", String(stored.at("meta", "href")), { name: "Иначе" }),
  ];
  for (const answer of [...writes, ...later]) expect([answer.status, answer.at("errors", 0, "code")]).toEqual([503, 1095]);
  await sandbox.close();
});
