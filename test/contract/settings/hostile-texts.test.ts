import { expect, it } from "vitest";
import { Settings } from "../../../src/accounts/settings.ts";
import { doubtWords } from "../../../src/contracts/fiscal/doubt-words.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { explanationOf } from "../../../src/operator/explaining/explanation.ts";
import { createSeal } from "../../../src/security/seal.ts";
import { sayIn } from "../../../src/web/language.ts";
import { operationsOf } from "../../../src/web/settings/pages.ts";
import { registerSection } from "../../../src/web/settings/register-section.ts";
import { HOSTILE, RefusingDevice } from "../../support/hostile-texts.ts";
import { saleOperation, Till } from "../../support/till.ts";
import { parseRegister } from "../../support/vendor.ts";

const say = sayIn("ru");

/** Nothing of the text runs, steers a terminal or turns the writing around, and the text is there. */
function expectText(markup: string): void {
  expect(markup).toContain("=1+1&lt;script&gt;");
  expect(/[\p{Cc}\p{Bidi_Control}]/u.exec(markup.replaceAll(/[\r\n\t]/g, ""))?.[0]).toBe(undefined);
  expect(markup).not.toContain("<script");
}

it("a device's words of a refusal and the till's number are text in the list of operations", async () => {
  const device = new RefusingDevice();
  const till = await Till.open({ line: (register) => device.before(register) });
  await till.openShift();
  device.words = HOSTILE;
  await till.submitAndWait(saleOperation("refused", { name: HOSTILE }));
  const [entry] = await till.journal.list({ documentId: "refused", limit: 1 });
  if (entry === undefined) throw new Error("the journal has no sale");
  const { journal, store } = till;
  const { clock } = till.trial;
  const seal = createSeal(new Secret("a key of the settings' tests"));
  const services = {
    journal,
    explain: (one: typeof entry) => explanationOf(journal, one, clock.nowMs()),
    doubtWords,
    settings: new Settings({ store, seal, clock, defaults: {}, parseRegister, parseAcquirer: () => ({ kind: "none" }) }),
    desk: { standing: async () => ({ kind: "register" as const, address: entry.register, waiting: 0 }) },
  };
  const { appId, accountId } = entry.key;
  const place = { appId, accountId, storeId: entry.operation.storeId };
  const user = { appId, accountId, name: "olga@shop", role: "admin", administrator: true } as const;
  const session = { ...user, language: "ru", expiresAtMs: 0, csrf: "" } as const;
  const account = { appId, accountId, state: "active", accountName: "shop", hasAccessToken: false } as const;
  const installation = { ...account, installedAtMs: 0, updatedAtMs: 0 };
  const context = { say, language: "ru", session, installation, mayChange: true, nowMs: 0 } as const;
  const list = (await operationsOf(services, context, { id: place.storeId, place })).toString();
  expectText(list);
  expect(list.match(/=1\+1/g)).toHaveLength(2);
});

it("what a device or its link says of itself is text in the form of the register", async () => {
  const till = await Till.open();
  const { trial } = till;
  const identity = await trial.settled(trial.register.identity(trial.deadline));
  if (identity.kind !== "reached") throw new Error("the register does not answer");
  const view = {
    storeId: "store",
    forms: [],
    parts: {},
    seen: { version: "", shown: "" },
    address: "",
    problems: new Map(),
    ports: [HOSTILE],
    mayChange: true,
  };
  const told = { ...identity.value, sellerName: HOSTILE, address: HOSTILE, place: HOSTILE, serialNumber: HOSTILE, firmware: HOSTILE };
  const answers = { kind: "answers", address: "emulator:till", identity: told, state: await trial.state() } as const;
  expectText(registerSection(say, { ...view, tried: answers }).toString());
  expectText(registerSection(say, { ...view, tried: { kind: "unreachable", reason: HOSTILE } }).toString());
});
