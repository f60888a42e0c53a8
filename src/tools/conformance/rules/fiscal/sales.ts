import type { CheckResult } from "../../exchanges/check-result.ts";
import type { Scene } from "../../play/scene.ts";
import type { Body, Till } from "../../play/till.ts";
import { expectDone } from "./answers.ts";

/** Sends a sale, and expects the server to accept it. */
export async function taken(scene: Scene, bodyOf: (till: Till) => Body): Promise<CheckResult> {
  const till = await scene.till();
  return expectDone(await till.send("retaildemand", bodyOf(till)));
}

/** Returns the body of an ordinary sale with this change in its positions. */
export function withPosition(till: Till, change: object): Body {
  const body = till.saleBody();
  return { ...body, positions: (body.positions as object[]).map((position) => ({ ...position, ...change })) };
}
