import type { EntryContent, EntryKey } from "../journal/entry.ts";
import { present } from "../kernel/present.ts";
import { draftDocument } from "../model/draft/draft.ts";
import { readInSteps } from "../model/marks/marks.ts";
import type { Operation } from "../model/operation.ts";
import type { Refusal } from "../model/refusal.ts";
import { unreachable } from "../model/unreachable.ts";
import type { RegisterAddress } from "../registers/protocol.ts";
import type { Register } from "../registers/register.ts";
import { registerAddress } from "./choose-register.ts";
import type { TurnRules } from "./readiness.ts";
import { referenceOf } from "./reference.ts";
import type { HeldRegister, OperationServices, Registers, StoreRules } from "./services.ts";
import type { Elsewhere, Submission } from "./submission.ts";

type Plan = PlannedOperation | { kind: "refused"; refusal: Refusal } | Elsewhere;

export interface PlannedOperation {
  kind: "plan";
  content: EntryContent;
  turn: TurnPlace;
  /** Absent: this process has all registers. */
  held?: HeldRegister;
}

/**
 * Decides everything that needs no question to the register: where the operation goes, and which document is sent. `elsewhere`: another
 * process has the register.
 */
export async function planOperation(services: OperationServices, submission: Submission, key: EntryKey): Promise<Plan> {
  const { appId, accountId, contentHash, twinHash } = submission;
  const { storeId } = submission.operation;
  const store = await services.rulesOf(appId, accountId, storeId);
  const bound = boundRegister(services, store, accountId, storeId);
  if (bound === undefined) return { kind: "refused", refusal: { code: "register-missing" } };
  const unusable = await services.unusable?.({ appId, accountId }, bound.parsed.canonical);
  if (unusable !== undefined) return { kind: "refused", refusal: unreachable(unusable) };
  const register = bound.parsed.canonical;
  await services.held?.arrived?.(register);
  const held = await services.held?.enter(register);
  if (services.held !== undefined && held === undefined) return { kind: "elsewhere", register };
  const { known, scale } = await services.lookUp({ appId, accountId }, submission.operation);
  if (scale === "differs-by-100") return { kind: "refused", refusal: { code: "money-scale-differs", parameter: "FISCAL_MONEY_SCALE" } };
  // The journal stores the found data with the operation.
  const operation = known === undefined ? submission.operation : { ...submission.operation, known };
  const originalSign = await signOfOriginal(services, submission);
  const { lineSums } = bound.parsed;
  const extra = { reference: referenceOf(key), lineSums, readMark: await readInSteps(marksOf(operation)), ...present({ originalSign }) };
  const drafted = draftDocument(operation, store, extra);
  if (drafted.kind === "refused") return drafted;
  const { document, warnings } = drafted;
  if (warnings.length > 0)
    services.log.warn({ accountId, document: operation.document.id, warnings }, "an operation was drafted with reservations");
  const { idType } = operation.document;
  const content = { key, contentHash, twinHash, idType, register, operation, document, paper: store.paper };
  return { kind: "plan", content, turn: turnOf(services, content, store), ...present({ held }) };
}

function marksOf(operation: Operation): string[] {
  return "positions" in operation ? operation.positions.flatMap((position) => position.marks) : [];
}

/** Plans a correction, without a look-up at the platform and without opening the register. */
export async function correctionAt(
  choice: RegisterChoice,
  submission: Submission,
  key: EntryKey,
): Promise<{ kind: "plan"; content: EntryContent } | { kind: "refused"; refusal: Refusal }> {
  const { appId, accountId, contentHash, twinHash, operation } = submission;
  const store = await choice.rulesOf(appId, accountId, operation.storeId);
  const bound = boundRegister(choice, store, accountId, operation.storeId);
  if (bound === undefined) return { kind: "refused", refusal: { code: "register-missing" } };
  const unusable = await choice.unusable?.({ appId, accountId }, bound.parsed.canonical);
  if (unusable !== undefined) return { kind: "refused", refusal: unreachable(unusable) };
  const drafted = draftDocument(operation, store, { reference: referenceOf(key), lineSums: bound.parsed.lineSums });
  if (drafted.kind === "refused") return drafted;
  const { idType } = operation.document;
  const { document } = drafted;
  return {
    kind: "plan",
    content: { key, contentHash, twinHash, idType, register: bound.parsed.canonical, operation, document, paper: store.paper },
  };
}

/**
 * Returns the present register of a point of sale. Tries to take the register over if another process has it. Undefined when the point of
 * sale has no register, when the address cannot be parsed, or when the account may not use the register.
 */
export async function placeOf(services: OperationServices, { appId, accountId, storeId }: PointOfSale): Promise<Placed | undefined> {
  const store = await services.rulesOf(appId, accountId, storeId);
  const bound = boundRegister(services, store, accountId, storeId);
  if (bound !== undefined && (await services.unusable?.({ appId, accountId }, bound.parsed.canonical)) !== undefined) return undefined;
  if (bound !== undefined) await services.held?.pull(bound.parsed.canonical);
  return (
    bound && { lane: bound.parsed.canonical, device: services.registers.at(bound.address, store.timeZone, store.timeZoneIsSet === true) }
  );
}

interface Placed {
  lane: string;
  device: Register;
}

export interface TurnPlace {
  device: Register;
  rules: TurnRules;
}

/** Returns the place of an operation that has waited. Settings are read again, because they may have changed. */
export async function turnAt(services: OperationServices, content: EntryContent): Promise<TurnPlace> {
  const { appId, accountId } = content.key;
  return turnOf(services, content, await services.rulesOf(appId, accountId, content.operation.storeId));
}

function turnOf(services: OperationServices, { key, operation, register }: EntryContent, store: StoreRules): TurnPlace {
  const bound = boundRegister(services, store, key.accountId, operation.storeId);
  // A lane's name is the canonical address, without passwords and options. The passwords and options come from the binding.
  const ours = bound?.parsed.canonical === register ? bound : undefined;
  return {
    device:
      ours === undefined
        ? services.registers.again(register, store.timeZone)
        : services.registers.at(ours.address, store.timeZone, store.timeZoneIsSet === true),
    rules: {
      automaticShift: store.shiftOpening === "automatic",
      drives: ours?.parsed.anyDrive === true ? "any" : services.drivesOf(key.appId),
    },
  };
}

/** The services for finding the register of a point of sale. */
export type RegisterChoice = Pick<OperationServices, "defaultRegister" | "rulesOf" | "unusable"> & { registers: Pick<Registers, "parse"> };

/** Returns the canonical address of a point of sale's present register. Undefined when there is none, or its address cannot be parsed. */
export async function registerNow(choice: RegisterChoice, { appId, accountId, storeId }: PointOfSale): Promise<string | undefined> {
  const store = await choice.rulesOf(appId, accountId, storeId);
  return boundRegister(choice, store, accountId, storeId)?.parsed.canonical;
}

export interface PointOfSale {
  appId: string;
  accountId: string;
  storeId: string;
}

/** Returns the present register of a point of sale. Undefined when there is none, or its address cannot be parsed. */
function boundRegister(
  { registers, defaultRegister }: Omit<RegisterChoice, "rulesOf">,
  store: StoreRules,
  accountId: string,
  storeId: string,
): { address: string; parsed: RegisterAddress } | undefined {
  const address = registerAddress(store.register, defaultRegister, accountId, storeId);
  const parsed = address === undefined ? undefined : registers.parse(address);
  return address === undefined || parsed?.kind !== "address" ? undefined : { address, parsed: parsed.address };
}

/** Returns tag 1192 of a return: the fiscal sign of the sale, if this server registered the sale. */
async function signOfOriginal(
  { journal }: Pick<OperationServices, "journal">,
  { appId, accountId, operation }: Submission,
): Promise<string | undefined> {
  if (operation.kind !== "sales-return" || operation.original === undefined) return undefined;
  return journal.signOfSale(appId, accountId, operation.original.id);
}
