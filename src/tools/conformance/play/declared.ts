import type { FiscalOperation } from "../../sandbox/caller/fiscal-operation.ts";
import { at, namesOf } from "../descriptor/find.ts";
import { type Finding, notApplicable } from "../exchanges/finding.ts";
import type { Target } from "./target.ts";

/** Path of each operation that a descriptor may declare (platform-contracts 2.4, 4.3). */
const OPERATIONS: ReadonlyMap<string, FiscalOperation> = new Map([
  ["openShift", "openshift"],
  ["retailDemand", "retaildemand"],
  ["retailSalesReturn", "retaisalesreturn"],
  ["retailDrawerCashIn", "retaildrawercashin"],
  ["retailDrawerCashOut", "retaildrawercashout"],
  ["closeShift", "closeshift"],
]);

/** Operations that the platform would send to this server: what its descriptor declares, or all of them where there is none. */
export function declaredOperations({ descriptor }: Target): FiscalOperation[] {
  const list = descriptor?.read.kind === "root" ? at(descriptor.read.root, "fiscalApi", "operationTypes") : undefined;
  const names = list === undefined ? [...OPERATIONS.keys()] : namesOf(list);
  return names.flatMap((name) => OPERATIONS.get(name) ?? []);
}

/** The finding of a rule over an operation that is never sent; undefined where it is. */
export function notDeclared(target: Target, operation: FiscalOperation): Finding | undefined {
  return declaredOperations(target).includes(operation)
    ? undefined
    : notApplicable(`the descriptor does not declare ${operation}, so it is never sent`);
}

/** Whether the descriptor's paymentTypes has it; undefined where there is no descriptor to say so. */
export function declaresPayment({ descriptor }: Target, type: string): boolean | undefined {
  const list = descriptor?.read.kind === "root" ? at(descriptor.read.root, "fiscalApi", "paymentTypes") : undefined;
  return list === undefined ? undefined : namesOf(list).includes(type);
}
