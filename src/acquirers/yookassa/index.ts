import type { AcquirerKind, ParsedAcquirer } from "../acquirer.ts";
import { fieldsOf, readSetting } from "../setting.ts";
import { CAPABILITIES, YookassaClient } from "./client.ts";
import { answerTo, readNotification } from "./notifications.ts";
import { PARTS } from "./schema.ts";

const NAME = "yookassa";
const FORM = "yookassa?shopId=…&secretKey=…[&secretKey2=…]";
const ADDRESS = "https://api.yookassa.ru/v3";

/** YooKassa: a dynamic SBP code for each payment (qr-acquirers 3.2, form A). */
export const yookassa: AcquirerKind = {
  name: NAME,
  form: FORM,
  idOfNoPayment: "00000000-000f-5000-8000-000000000000",
  fields: fieldsOf(PARTS),
  simulated: false,
  parse,
  readNotification,
  answerTo,
};

function parse(setting: string): ParsedAcquirer {
  const read = readSetting({ name: NAME, form: FORM }, PARTS, setting);
  if (read.kind === "invalid") return read;
  const { shopId, secretKey } = read.values;
  return {
    kind: "account",
    account: {
      acquirer: NAME,
      merchant: `${NAME}:${shopId}`,
      shown: read.shown,
      secrets: read.secrets,
      capabilities: CAPABILITIES,
      open: (services) => new YookassaClient(services, services.addresses[NAME] ?? ADDRESS, { shopId, secretKey }),
    },
  };
}
