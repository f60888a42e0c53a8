import { vendorAddresses } from "../sandbox/caller/vendor-addresses.ts";
import type { OtherAddresses } from "../sandbox/caller/vendor-desk.ts";

const STORE = /^\/api\/remap\/1\.2\/entity\/retailstore\/([0-9a-f-]{36})$/;
const STORE_NAME = "Продукты на углу";

/** Returns the platform's addresses on the demo day. A point of sale has only a name there, and all points of sale have the same name. */
export function dayAddresses(behind: Parameters<typeof vendorAddresses>[0], base: () => string): OtherAddresses {
  const vendor = vendorAddresses(behind);
  return (call) => {
    const [, id] = STORE.exec(call.path) ?? [];
    if (id === undefined || call.method !== "GET") return vendor(call);
    const meta = { href: `${base()}${call.path}`, type: "retailstore", mediaType: "application/json" };
    return { status: 200, answer: { meta, id, name: STORE_NAME } };
  };
}
