import { at } from "../../descriptor/find.ts";
import type { Element } from "../../descriptor/xml.ts";
import { CannotRun, type CheckResult, held, notApplicable } from "../../exchanges/check-result.ts";
import type { Scene } from "../../play/scene.ts";
import type { Rule } from "../rule.ts";

type Named = Omit<Rule, "check" | "needs">;

/** No other descriptor rule can be checked if the descriptor is not readable. */
const NEEDS = ["descriptor/envelope/well-formed"];

/** Makes a rule over the whole document. `problemsIn` returns the problems. */
export function overRoot(rule: Named, problemsIn: (root: Element, scene: Scene) => readonly string[]): Rule {
  return {
    ...rule,
    needs: NEEDS,
    check: async (scene) => {
      const root = rootOf(scene);
      return checkResultOf(scene, problemsIn(root, scene));
    },
  };
}

/** Makes a rule over one block. The rule does not apply to an absent block. */
export function overBlock(rule: Named, path: readonly string[], problemsIn: (block: Element, scene: Scene) => readonly string[]): Rule {
  return {
    ...rule,
    needs: NEEDS,
    check: async (scene) => {
      const block = at(rootOf(scene), ...path);
      return block === undefined
        ? notApplicable(`the descriptor has no ${path.join("/")}`)
        : checkResultOf(scene, problemsIn(block, scene));
    },
  };
}

export function checkResultOf(scene: Scene, problems: readonly string[]): CheckResult {
  const source = scene.target.descriptor?.source ?? "";
  return problems.length === 0
    ? held
    : { kind: "broken", sent: `nothing; the descriptor at ${source} was read`, seen: problems.join("; ") };
}

function rootOf({ target }: Scene): Element {
  const { descriptor } = target;
  if (descriptor === undefined) throw new CannotRun("there is no descriptor to read: give --descriptor FILE or --descriptor URL");
  if (descriptor.read.kind === "broken") throw new CannotRun("the descriptor cannot be read: mend descriptor/envelope/well-formed first");
  return descriptor.read.root;
}
