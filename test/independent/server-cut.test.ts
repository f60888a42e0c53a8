import { describe, it, type TestContext } from "vitest";
import { EXTENT } from "../support/extent.ts";
import { Listener } from "./device/listener.ts";
import { IndependentRegister } from "./device/register.ts";
import { type Answer, line } from "./project/platform.ts";
import { startServer } from "./project/server.ts";
import { toHex } from "./protocol/bytes.ts";

const positions = [
  line("Хлеб", { quantity: 2, price: "50.00", discount: "10", vat: 10 }),
  line("Кофе", { quantity: 1.5, price: "99.90", vat: 22 }),
  line("Торт", { quantity: 1, price: "137.50", vatEnabled: false }),
];
const payments = { cardSum: "377.35" };
/** The server answers 409 at 9 s and works on (interface 5). Four such answers take longer than any search. */
const settledMs = 120_000;
/** Each test starts a server, and waits for as many searches. */
const limitMs = 240_000;
const repeatMs = 200;

/** A device and a server for one test. Both end with the test. */
const open = async ({ expect, onTestFinished }: TestContext) => {
  const register = new IndependentRegister();
  const device = await Listener.start(register);
  onTestFinished(() => device.close());
  const server = await startServer(device.address);
  onTestFinished(() => server.close());
  expect((await server.platform.install()).status).toBe(200);

  const receipts = () => register.drive.documents.filter((one) => one.type === 3);
  const saleBody = (id: string) => server.platform.document({ meta: { id }, moment: "2026-11-28 10:00:00", payments, positions });
  /** Sends the same document until it is answered by 200, as the platform would. */
  const insist = async (method: string, route: string, body: object): Promise<Answer> => {
    let last = await server.platform.fiscal(method, route, body);
    const again = async () => {
      if (last.status !== 200) last = await server.platform.fiscal(method, route, body);
      return last.status;
    };
    await expect.poll(again, { timeout: settledMs, interval: repeatMs }).toBe(200);
    return last;
  };
  const openShift = () => insist("PUT", "openshift", server.platform.document({ openMoment: "2026-11-28 10:00:00" }));
  const evidence = () => register.exchanges.slice(-12).map(({ request, answer }) => `${toHex(request)} -> ${toHex(answer)}`);
  return { register, device, server, receipts, saleBody, insist, openShift, evidence };
};

/** `npm test` cuts the line at commands in `conformance/register-cut-line`, and not here. */
const itLong = it.runIf(EXTENT === "long");

// Most of the time a server waits for an answer that does not come. The tests run at the same time, so that all wait at the same time.
describe.concurrent("a connection cut under the project's server", () => {
  // `after-forgotten` is tried below too, at other commands.
  itLong.for(["after-kept", "after-forgotten", "before"] as const)(
    "leaves exactly one sale when it falls %s at FF45",
    { timeout: limitMs },
    async (how, context) => {
      const { expect } = context;
      const { register, device, server, receipts, saleBody, insist, openShift, evidence } = await open(context);
      await openShift();
      // An equal sale stands before this sale, so only the number tells both apart.
      expect((await insist("POST", "retaildemand", saleBody("sale-1"))).status).toBe(200);
      device.cut({ command: "FF45", how });
      const answer = await insist("POST", "retaildemand", saleBody("sale-2"));
      expect(device.cutsMade).toHaveLength(1);
      const [, second, ...more] = receipts();
      expect(more, evidence().join("\n")).toEqual([]);
      expect(answer, evidence().join("\n")).toMatchObject({
        status: 200,
        body: { fiscalDocNumber: String(second?.number), fiscalDocSign: String(second?.sign).padStart(10, "0") },
      });
      expect(register.receipt).toBeUndefined();
      expect((await server.platform.closeShift()).body).toMatchObject({ chequesTotal: 2 });
    },
  );

  itLong(
    "opens one shift when it falls after E0h, and closes one when it falls after 41h",
    async (context) => {
      const { expect } = context;
      const { register, device, server, insist, openShift } = await open(context);
      device.cut({ command: "E0", how: "after-forgotten" });
      expect(await openShift()).toMatchObject({ status: 200, body: { shiftNumber: "1", fiscalDocNumber: "2" } });
      device.cut({ command: "41", how: "after-forgotten" });
      const closing = server.platform.document({ closeMoment: "2026-11-28 20:00:00" });
      expect(await insist("PUT", "closeshift", closing)).toMatchObject({ status: 200, body: { shiftNumber: "1", fiscalDocNumber: "3" } });
      expect(register.drive.documents.map((one) => one.type)).toEqual([1, 2, 5]);
    },
    limitMs,
  );

  itLong(
    "puts cash in once when it falls after 50h",
    async (context) => {
      const { expect } = context;
      const { register, device, server, insist, openShift } = await open(context);
      await openShift();
      device.cut({ command: "50", how: "after-forgotten" });
      const body = server.platform.document({ meta: { id: "cash-1" }, moment: "2026-11-28 10:00:00", sum: "70000" });
      expect((await insist("POST", "retaildrawercashin", body)).status).toBe(200);
      expect(register.counters.drawerKopecks).toBe(70_000);
    },
    limitMs,
  );

  itLong(
    "leaves one sale of three positions when it falls after an FF46",
    async (context) => {
      const { expect } = context;
      const { device, receipts, saleBody, insist, openShift, evidence } = await open(context);
      await openShift();
      device.cut({ command: "FF46", how: "after-kept" });
      const answer = await insist("POST", "retaildemand", saleBody("sale-1"));
      expect(answer.status, evidence().join("\n")).toBe(200);
      expect(receipts().map((one) => [one.totalKopecks, one.items?.length])).toEqual([[37_735, 3]]);
    },
    limitMs,
  );
});
