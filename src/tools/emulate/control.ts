import { messageOf } from "../../kernel/failure.ts";
import type { ShtrihFront } from "../../registers/shtrih-m/device/front.ts";
import { parseFault, specOf } from "../../registers/shtrih-m/device/machine/faults.ts";
import { type ControlOrder, readOrder } from "./control-schema.ts";
import { DEVICE_TIME, readDeviceTime } from "./device-time.ts";
import { documentJson } from "./document-json.ts";

/**
 * Answers one line of the control port with `ok: true` and the result, or with `ok: false` and the reason. Never throws. `zone`: the zone
 * of the device's clock.
 */
export async function answerControl(front: ShtrihFront, zone: string, line: string): Promise<Record<string, unknown>> {
  try {
    const read = readOrder(JSON.parse(line));
    return read.kind === "wrong" ? refused(read.why) : await obey(front, zone, read.order);
  } catch (error) {
    return refused(messageOf(error));
  }
}

async function obey(front: ShtrihFront, zone: string, order: ControlOrder): Promise<Record<string, unknown>> {
  const done = { ok: true, ...order };
  switch (order.do) {
    case "fault": {
      const parsed = parseFault(order.spec);
      if (parsed.kind === "invalid") return refused(parsed.problem);
      front.addFault(parsed.fault);
      return { ...done, spec: specOf(parsed.fault) };
    }
    case "paper":
      front.setPaper(order.in);
      return done;
    case "power":
      return front.setPower(order.on) ? done : refused("the device's storage has failed: start it anew");
    case "clock": {
      const wall = readDeviceTime(order.at, zone);
      if (wall === undefined) return refused(`at: is not ${DEVICE_TIME}`);
      await front.setClock(wall);
      return done;
    }
    case "documents":
      return { ...done, documents: (await front.documents()).map(documentJson) };
    case "state":
      return { ...done, state: front.state() };
  }
}

function refused(why: string): Record<string, unknown> {
  return { ok: false, why };
}
