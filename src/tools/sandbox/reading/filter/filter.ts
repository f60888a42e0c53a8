import { refused } from "../../call/refusal.ts";
import type { EntityType, Reading } from "../../types/entity-type.ts";
import { attributeOperand } from "./attribute-operand.ts";
import { type Condition, conditionText } from "./conditions.ts";
import { fieldOperand } from "./field-operand.ts";
import type { Operand } from "./operand.ts";
import { all, operandTest, type PlaceTest, type ValueSource } from "./predicate.ts";
import { specialOperand } from "./special-operand.ts";

/**
 * Default conditions that hide archived objects and documents in the recycle bin. If the filter has a condition on `archived` or
 * `isDeleted`, the default condition on that field does not apply (json-api 6.2).
 */
const HIDDEN: readonly Condition[] = ["archived", "isDeleted"].map((key) => ({ key, operator: "=", constant: "false" }));

/**
 * Returns the test for an object. Conditions on different operands are joined by AND. Throws 412/1034 for an unsupported field. Bad
 * constants have their own codes.
 */
export function filterTest(conditions: readonly Condition[], type: EntityType, source: ValueSource, reading: Reading): PlaceTest {
  const groups = new Map<string, { operand: Operand; conditions: Condition[] }>();
  for (const condition of conditions) {
    const operand = operandOf(condition.key, type, reading);
    if (operand === undefined) throw refused(1034, undefined, conditionText(condition));
    const group = groups.get(operand.name);
    if (group === undefined) groups.set(operand.name, { operand, conditions: [condition] });
    else group.conditions.push(condition);
  }
  for (const hidden of HIDDEN) {
    const operand = operandOf(hidden.key, type, reading);
    if (operand !== undefined && !groups.has(operand.name)) groups.set(operand.name, { operand, conditions: [hidden] });
  }
  const tests = [...groups].map(([name, group]) => ({ name, test: operandTest(group.operand, group.conditions, source) }));
  // For some types, a filter by id also finds archived objects.
  const ignoresArchive = type.idFindsArchived === true && groups.has("id");
  return all(tests.filter(({ name }) => !(ignoresArchive && name === "archived")).map(({ test }) => test));
}

function operandOf(key: string, type: EntityType, reading: Reading): Operand | undefined {
  return fieldOperand(key, type, reading) ?? specialOperand(key, type, reading) ?? attributeOperand(key, type, reading);
}
