import type { EntryContent, EntryKey } from "../journal/entry.ts";
import { draftDocument } from "../model/draft.ts";
import type { Refusal } from "../model/refusal.ts";
import { chooseRegister } from "./choose-register.ts";
import { referenceOf } from "./reference.ts";
import type { OperationServices } from "./services.ts";
import type { Submission } from "./submission.ts";
import type { TurnRules } from "./turn.ts";

export type Plan = { kind: "plan"; content: EntryContent; rules: TurnRules; zone: string } | { kind: "refused"; refusal: Refusal };

/** Everything that is decided before a register is asked: where the operation goes and the document as it will be sent. */
export async function planOperation(services: OperationServices, submission: Submission, key: EntryKey): Promise<Plan> {
  const { appId, accountId, operation } = submission;
  const store = await services.rulesOf(appId, accountId, operation.storeId);
  const chosen = chooseRegister(
    (address) => services.registers.parse(address),
    store.register,
    services.defaultRegister,
    accountId,
    operation.storeId,
  );
  if (chosen === undefined || chosen.kind === "invalid") return { kind: "refused", refusal: { code: "register-missing" } };
  const originalSign = await signOfOriginal(services, submission);
  const drafted = draftDocument(operation, store, { reference: referenceOf(key), ...(originalSign === undefined ? {} : { originalSign }) });
  if (drafted.kind === "refused") return drafted;
  const content: EntryContent = {
    key,
    contentHash: submission.contentHash,
    twin: submission.twin,
    idType: operation.document.idType,
    register: chosen.address.canonical,
    operation,
    document: drafted.document,
    paper: store.paper,
  };
  return { kind: "plan", content, zone: store.timeZone, rules: await turnRules(services, content) };
}

/** What holds for a turn now: a setting changed while an operation waited counts. */
export async function turnRules(services: OperationServices, content: EntryContent): Promise<TurnRules> {
  const { appId, accountId } = content.key;
  const store = await services.rulesOf(appId, accountId, content.operation.storeId);
  const parsed = services.registers.parse(content.register);
  const anyDrive = parsed.kind === "address" && parsed.address.anyDrive;
  return { automaticShift: store.shiftOpening === "automatic", drives: anyDrive ? "any" : services.drivesOf(appId) };
}

/** Tag 1192 of a return: the fiscal sign of the sale, where the sale was registered here. */
async function signOfOriginal({ journal }: OperationServices, { appId, accountId, operation }: Submission): Promise<string | undefined> {
  if (operation.kind !== "sales-return" || operation.original === undefined) return undefined;
  return journal.signOfSale(appId, accountId, operation.original.id);
}
