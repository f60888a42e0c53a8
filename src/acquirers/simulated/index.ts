import { present } from "../../kernel/present.ts";
import type { AcquirerKind, ParsedAcquirer } from "../acquirer.ts";
import { fieldsOf, readSetting } from "../setting.ts";
import { LEAST_KOPECKS, MOST_KOPECKS, SimulatedClient } from "./client.ts";
import { PARTS } from "./schema.ts";

const NAME = "simulated";
const FORM = "simulated[?payAfterMs=1000][&expireAfterMs=…]";
/** Bounds for a code's lifetime that the order states: a second and a day. */
const LEAST_LIFE_MS = 1_000;
const MOST_LIFE_MS = 86_400_000;

/** The acquirer that moves no money. */
export const simulated: AcquirerKind = {
  name: NAME,
  form: FORM,
  idOfNoPayment: "00000000-0000-4000-8000-000000000000",
  fields: fieldsOf(PARTS),
  simulated: true,
  parse,
  readNotification: () => ({ kind: "not-genuine", reason: "the simulated acquirer sends no notifications" }),
  answerTo: () => ({ status: 403, body: "" }),
};

function parse(setting: string): ParsedAcquirer {
  const read = readSetting({ name: NAME, form: FORM }, PARTS, setting);
  if (read.kind === "invalid") return read;
  const { payAfterMs, expireAfterMs } = read.values;
  return {
    kind: "account",
    account: {
      acquirer: NAME,
      merchant: NAME,
      shown: read.shown,
      secrets: read.secrets,
      capabilities: {
        leastKopecks: LEAST_KOPECKS,
        mostKopecks: MOST_KOPECKS,
        expiry:
          expireAfterMs === undefined
            ? { kind: "chosen", leastMs: LEAST_LIFE_MS, mostMs: MOST_LIFE_MS }
            : { kind: "fixed", lifeMs: expireAfterMs },
        cancelBeforePayment: true,
        partialRefund: true,
        leastRefundKopecks: 1,
        refundIdempotent: true,
      },
      open: (services) => new SimulatedClient(services, { payAfterMs, ...present({ expireAfterMs }) }),
    },
  };
}
