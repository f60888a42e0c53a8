import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/store/database.ts";
import { Commands } from "../support/commands.ts";
import { COMPILE_CACHE } from "../support/compile-cache.ts";
import { position, recalc } from "../support/loyalty-contract.ts";
import { temporaryFolder } from "../support/server-process.ts";

const [APP, ACCOUNT] = ["00000000-0000-4000-8000-000000000001", "11111111-0000-4000-8000-000000000001"];
const [GOODS, FOLDER] = ["aa01b2c3-d4e5-46f7-8899-aabbccddeeff", "f01de500-d4e5-46f7-8899-aabbccddeeff"];

it("a receipt that is tried from the command line gets the discount of its goods' folder, which the server has stored", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "data"));
  const store = await openStore({ kind: "sqlite", file: join(folder, "data", "fiscal.sqlite") });
  await store.migrate();
  await store.commit(async (tx) => {
    const key = { app_id: APP, account_id: ACCOUNT };
    const nothing = { access_token_sealed: null, subscription: null, permissions: null };
    const times = { installed_at_ms: 1, updated_at_ms: 1 };
    await tx
      .insertInto("installations")
      .values({ ...key, state: "active", account_name: "shop", ...nothing, ...times })
      .execute();
    const body = JSON.stringify({ type: "product", id: GOODS, folderId: FOLDER });
    await tx
      .insertInto("shop_objects")
      .values({ ...key, type: "product", object_id: GOODS, body, stale: 0, read_at_ms: 1 })
      .execute();
  });
  await store.close();
  const file = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return name;
  };
  const rules = [{ id: "tea", effect: "percent", value: 10, when: { groups: [FOLDER] } }];
  const receipt = recalc({ agent: { phone: "+79039993344" }, positions: [position(3, 96)] });
  const commands = new Commands(folder, COMPILE_CACHE);
  const run = async (...args: string[]) => {
    const { code, text } = await commands.run("loyalty", ...args);
    expect(code, text).toBe(0);
    return text;
  };
  await run("import", ACCOUNT, file("members.jsonl", { key: "1", name: "Иван", phone: "+79039993344", points: 0 }));
  await run("programme", "set", ACCOUNT, file("programme.json", { rules }));
  const tried = JSON.parse(await run("try", ACCOUNT, file("receipt.json", receipt), "--json"));
  expect(tried).toMatchObject({ positions: [{ discountPercent: 10, discountedPrice: 86.4 }], trace: [{ rule: "tea", matched: true }] });
});
