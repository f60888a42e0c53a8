import type { Row } from "./row.ts";
export async function busyRow(..._: unknown[]): Promise<Row> { return { name: "loyalty.busy", value: 0, unit: "ms" }; }
