import type { Finding } from "../../exchanges/finding.ts";
import type { Scene } from "../../play/scene.ts";
import type { Body, Till } from "../../play/till.ts";
import { expectDone } from "./answers.ts";

/** Held when the server takes the sale. */
export async function taken(scene: Scene, bodyOf: (till: Till) => Body): Promise<Finding> {
  const till = await scene.till();
  return expectDone(await till.send("retaildemand", bodyOf(till)));
}

/** An ordinary sale, whose positions differ by this. */
export function withPosition(till: Till, change: object): Body {
  const body = till.saleBody();
  return { ...body, positions: (body.positions as object[]).map((position) => ({ ...position, ...change })) };
}
