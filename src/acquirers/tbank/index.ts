import type { AcquirerKind, ParsedAcquirer } from "../acquirer.ts";
import { fieldsOf, readSetting } from "../setting.ts";
import { CAPABILITIES, TbankClient } from "./client.ts";
import { answerTo, readNotification } from "./notifications.ts";
import { PARTS } from "./schema.ts";

const NAME = "tbank";
const FORM = "tbank?terminalKey=…&password=…[&password2=…]";
const ADDRESS = "https://securepay.tinkoff.ru/v2";

/** T-Bank EACQ v2: Init and GetQr make a dynamic SBP code (qr-acquirers 4). */
export const tbank: AcquirerKind = {
  name: NAME,
  form: FORM,
  idOfNoPayment: "1",
  fields: fieldsOf(PARTS),
  simulated: false,
  parse,
  readNotification: (notification, accounts) => readNotification(notification, merchantOf, accounts),
  answerTo,
};

function parse(setting: string): ParsedAcquirer {
  const read = readSetting({ name: NAME, form: FORM }, PARTS, setting);
  if (read.kind === "invalid") return read;
  const { terminalKey, password } = read.values;
  return {
    kind: "account",
    account: {
      acquirer: NAME,
      merchant: merchantOf(terminalKey),
      shown: read.shown,
      secrets: read.secrets,
      capabilities: CAPABILITIES,
      open: (services) => new TbankClient(services, services.addresses[NAME] ?? ADDRESS, { terminalKey, password }),
    },
  };
}

function merchantOf(terminalKey: string): string {
  return `${NAME}:${terminalKey}`;
}
