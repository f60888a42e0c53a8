import type { FiscalOperation } from "../../sandbox/caller/fiscal-operation.ts";
import { at, namesOf } from "../descriptor/find.ts";
import { type CheckResult, notApplicable } from "../exchanges/check-result.ts";
import type { Target } from "./target.ts";

/** The operations that a descriptor may declare: the name in the descriptor, and the name in the path (platform-contracts 2.4, 4.3). */
const OPERATIONS: ReadonlyMap<string, FiscalOperation> = new Map([
  ["openShift", "openshift"],
  ["retailDemand", "retaildemand"],
  ["retailSalesReturn", "retaisalesreturn"],
  ["retailDrawerCashIn", "retaildrawercashin"],
  ["retailDrawerCashOut", "retaildrawercashout"],
  ["closeShift", "closeshift"],
]);

/**
 * Returns the operations that the descriptor declares, because the platform sends no others. Without a readable descriptor, or without its
 * list of operations: all operations.
 */
export function declaredOperations({ descriptor }: Target): FiscalOperation[] {
  const list = descriptor?.read.kind === "root" ? at(descriptor.read.root, "fiscalApi", "operationTypes") : undefined;
  const names = list === undefined ? [...OPERATIONS.keys()] : namesOf(list);
  return names.flatMap((name) => OPERATIONS.get(name) ?? []);
}

/** Returns the result of a rule about an undeclared operation, which the platform never sends. Undefined: the operation is declared. */
export function notDeclared(target: Target, operation: FiscalOperation): CheckResult | undefined {
  return declaredOperations(target).includes(operation)
    ? undefined
    : notApplicable(`the descriptor does not declare ${operation}, so it is never sent`);
}

/** Whether the descriptor's paymentTypes contains this type. Undefined: no readable descriptor, or no such list. */
export function declaresPayment({ descriptor }: Target, type: string): boolean | undefined {
  const list = descriptor?.read.kind === "root" ? at(descriptor.read.root, "fiscalApi", "paymentTypes") : undefined;
  return list === undefined ? undefined : namesOf(list).includes(type);
}

/** Whether the descriptor has `loyaltyApi`. Undefined: no readable descriptor. */
export function declaresLoyalty({ descriptor }: Target): boolean | undefined {
  return descriptor?.read.kind === "root" ? at(descriptor.read.root, "loyaltyApi") !== undefined : undefined;
}
