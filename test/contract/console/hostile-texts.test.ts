import { expect, it, onTestFinished } from "vitest";
import { writeAudit } from "../../../src/accounts/audit.ts";
import { updatePayment } from "../../../src/payments/payment-queries.ts";
import { AGENT_ACCOUNT, AgentBench } from "../../support/agents-bench.ts";
import { type ConsoleScene, consoleScene } from "../../support/console-scene.ts";
import { HOSTILE, RefusingDevice } from "../../support/hostile-texts.ts";
import { LOYALTY_KEY } from "../../support/loyalty-bench.ts";
import { saleOperation, Till } from "../../support/till.ts";

interface Stage extends ConsoleScene {
  device: RefusingDevice;
  bench: AgentBench;
  paymentId: string;
}

async function stage(): Promise<Stage> {
  const device = new RefusingDevice();
  const till = await Till.open({ line: (register) => device.before(register) });
  await till.openShift();
  await till.submitAndWait(saleOperation("sale-1"));
  let bench: AgentBench | undefined;
  const scene = await consoleScene(till, {
    agents: async (store) => {
      bench = await AgentBench.open(store);
      return bench;
    },
  });
  if (bench === undefined) throw new Error("the scene has made no agents");
  const { hub } = bench;
  onTestFinished(() => hub.close());
  await scene.payments.create({ operationId: "payment-1" });
  const { payment } = await scene.payments.stored("payment-1");
  return { ...scene, device, bench, paymentId: payment.id };
}

/** A sale of goods with a hostile name. */
function goodsOperation(id: string) {
  const sale = saleOperation(id);
  return { ...sale, positions: sale.positions.map((position) => ({ ...position, assortment: { name: HOSTILE } })) };
}

const keyOf = async ({ till }: Stage) => {
  const entry = await till.journal.get(1);
  if (entry === undefined) throw new Error("the journal has no entry");
  return { appId: entry.key.appId, accountId: entry.key.accountId, storeId: entry.operation.storeId };
};

it.each<[by: string, tell: (scene: Stage) => Promise<unknown>, pages: readonly string[]]>([
  [
    "an agent's version",
    async ({ bench }) => {
      const { player } = bench.dial(await bench.enrol("shop7"), { hello: { version: HOSTILE } });
      await bench.used("shop7", await player.connect());
      await bench.stored();
    },
    ["/agents"],
  ],
  [
    "a device's serial number",
    async ({ bench }) => {
      await bench.connect(await bench.enrol("shop7"));
      await bench.stored();
      await bench.hub.admit("shop7", "main", { serialNumber: HOSTILE, driveNumber: "9999078900000001" });
    },
    ["/agents"],
  ],
  [
    "the name of an account",
    async (scene) => scene.installations.activate(await keyOf(scene), { accountName: HOSTILE }, "active"),
    ["/operations/1", "/installations", "/installations.csv"],
  ],
  [
    "the name of a shop",
    async (scene) => {
      const { accountId, storeId } = await keyOf(scene);
      scene.shopNames.set(`${accountId}/${storeId}`, HOSTILE);
    },
    ["/operations", "/operations/1", "/registers"],
  ],
  [
    "the name of a member",
    async ({ loyalty, installations }) => {
      await installations.activate(LOYALTY_KEY, {}, "active");
      const personal = { name: HOSTILE, phone: "+79039993344" };
      await loyalty.members.enrol(LOYALTY_KEY, { identity: { platformId: "anna-1", phone: "+79039993344" }, personal, isNative: true });
    },
    ["/members?q=%2B79039993344", "/members.csv?q=%2B79039993344"],
  ],
  [
    "a device's words of a refusal",
    async ({ till, device }) => {
      device.words = HOSTILE;
      await till.submitAndWait(saleOperation("refused"));
    },
    ["/operations", "/operations/refused", "/operations.csv"],
  ],
  ["the name of goods in a receipt", async ({ till }) => till.submitAndWait(goodsOperation("goods")), ["/operations/goods"]],
  [
    "the name of goods in what was sent, and the till's number",
    async ({ till, device }) => {
      device.words = "Отказ";
      await till.submitAndWait({ ...goodsOperation("refused"), name: HOSTILE });
    },
    ["/operations", "/operations/refused", "/operations.csv"],
  ],
  [
    "a bank's words",
    async ({ till, paymentId }) =>
      till.store.commit((tx) =>
        updatePayment(tx, paymentId, {
          state: "declined",
          reason: JSON.stringify({ code: "declined", bankCode: HOSTILE, words: HOSTILE }),
        }),
      ),
    ["/payments", "/payments.csv", "/payments/payment-1"],
  ],
  [
    "a reason in the audit",
    async (scene) => {
      const { appId, accountId } = await keyOf(scene);
      const at = { atMs: 1, key: { appId, accountId }, actor: { name: HOSTILE, place: "page" as const } };
      await scene.till.store.commit((tx) =>
        writeAudit(tx, at, { act: "settle", subject: HOSTILE, before: HOSTILE, after: HOSTILE, reason: HOSTILE }),
      );
    },
    ["/audit", "/audit.csv"],
  ],
])("%s is shown as text on every page and in every file", async (_by, tell, pages) => {
  const scene = await stage();
  await scene.installations.activate(AGENT_ACCOUNT, { accountName: "Пекарня" }, "active");
  await tell(scene);
  const person = scene.browser();
  await person.logIn();
  const shown: { path: string; text: string }[] = [];
  for (const path of pages) shown.push({ path, text: (await person.get(path)).text });
  for (const { path, text } of shown) {
    expect([path, /[\p{Cc}\p{Bidi_Control}]/u.exec(text.replaceAll(/[\r\n\t]/g, ""))?.[0]]).toEqual([path, undefined]);
    expect([path, text.includes("<script") && !path.includes(".csv")]).toEqual([path, false]);
    expect([path, /(^|;)"?=1/m.test(text)]).toEqual([path, false]);
  }
  expect(shown.some(({ text }) => text.includes("=1+1"))).toBe(true);
});
