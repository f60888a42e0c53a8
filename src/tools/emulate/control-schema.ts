import { z } from "zod";

const order = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("fault"), spec: z.string().max(200) }),
  z.strictObject({ do: z.literal("paper"), in: z.boolean() }),
  z.strictObject({ do: z.literal("power"), on: z.boolean() }),
  z.strictObject({ do: z.literal("clock"), at: z.string().max(100) }),
  z.strictObject({ do: z.literal("documents") }),
  z.strictObject({ do: z.literal("state") }),
]);

export type ControlOrder = z.infer<typeof order>;

type ReadOrder = { kind: "order"; order: ControlOrder } | { kind: "wrong"; why: string };

export function readOrder(value: unknown): ReadOrder {
  const read = order.safeParse(value);
  if (read.success) return { kind: "order", order: read.data };
  const [issue] = read.error.issues;
  return { kind: "wrong", why: `${issue?.path.join(".") || "line"}: ${issue?.message ?? "not understood"}` };
}
