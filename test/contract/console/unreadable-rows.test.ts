import { expect, it } from "vitest";
import { consoleScene } from "../../support/console-scene.ts";

it("the list of installations names a row that cannot be read, and shows the others", async () => {
  const { browser, installations, till } = await consoleScene();
  await installations.activate({ appId: "app", accountId: "account-spoilt" }, { accountName: "Пекарня" }, "active");
  await installations.activate({ appId: "app", accountId: "account-sound" }, { accountName: "Сыроварня" }, "active");
  await till.store.commit((tx) =>
    tx.updateTable("installations").set({ permissions: '[{"token":"secret"}]' }).where("account_id", "=", "account-spoilt").execute(),
  );
  const person = browser();
  await person.logIn();
  const page = (await person.get("/installations")).text;
  expect(page).toContain("Сыроварня");
  expect(page).toContain("Column permissions of row app/account-spoilt in table installations cannot be read");
  expect(page).not.toContain("secret");
  const csv = (await person.get("/installations.csv")).text;
  expect(csv).toContain("account-sound;Сыроварня;active");
  expect(csv).toMatch(/^account-spoilt;Column permissions of row [^;]*;unreadable;/m);
  expect((await person.get("/operations?account=сыроварня")).status).toBe(200);
});
