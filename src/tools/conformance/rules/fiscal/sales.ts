import type { CheckResult } from "../../exchanges/check-result.ts";
import type { Scene } from "../../play/scene.ts";
import type { Body, Till } from "../../play/till.ts";
import { expectDone } from "./answers.ts";

/** Held when the server accepts the sale. */
export async function taken(scene: Scene, bodyOf: (till: Till) => Body): Promise<CheckResult> {
  const till = await scene.till();
  return expectDone(await till.send("retaildemand", bodyOf(till)));
}

/** An ordinary sale with this change in its positions. */
export function withPosition(till: Till, change: object): Body {
  const body = till.saleBody();
  return { ...body, positions: (body.positions as object[]).map((position) => ({ ...position, ...change })) };
}
