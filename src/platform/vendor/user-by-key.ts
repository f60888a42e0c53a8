import type { Secret } from "../../kernel/secret.ts";
import type { Trouble, VendorBounds, VendorLine } from "./line.ts";
import type { VendorReply } from "./reply.ts";
import { type ContextEmployee, contextEmployeeSchema } from "./schema.ts";

/**
 * The form of a key. A browser sends the key, and it becomes a segment of a path: another form could lead to another path, such as
 * `context/user`.
 */
const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{15,255}$/;

type UserByKey =
  | {
      readonly kind: "user";
      readonly employee: ContextEmployee;
      /** True when `permissions.admin.view` is ALL. */
      readonly administrator: boolean;
    }
  /** 403: the key was made for another solution. */
  | { readonly kind: "foreign"; readonly reply: VendorReply }
  /**
   * 404 in the platform's own form: the key is unknown, or older than five minutes. Without `reply`: the text is no key, and nothing was
   * sent.
   */
  | { readonly kind: "expired"; readonly reply?: VendorReply }
  | Trouble;

/**
 * Reads the user of this server's window by the contextKey of its address (platform-contracts 3.9). Repeats like a harmless call
 * (`VendorCall.again`), because the platform usually accepts a key more than once. If the platform does not accept the key again, the
 * repeat ends as `expired`, and the window must be opened again. Use a key once, then keep a session of this server.
 */
export async function readUserByKey(line: VendorLine, appId: string, contextKey: Secret, bounds: VendorBounds = {}): Promise<UserByKey> {
  const key = contextKey.reveal();
  if (!KEY.test(key)) return { kind: "expired" };
  const { answer } = await line.call({
    appId,
    method: "POST",
    path: `context/${key}`,
    shown: "context/***",
    secrets: [contextKey],
    again: "harmless",
    bounds,
  });
  if (answer.kind === "refused") {
    const { reply } = answer;
    if (reply.errors.length === 0) return answer;
    if (reply.status === 403) return { kind: "foreign", reply };
    return reply.status === 404 ? { kind: "expired", reply } : answer;
  }
  if (answer.kind !== "good") return answer;
  const read = contextEmployeeSchema.safeParse(answer.body);
  if (!read.success) return { kind: "unavailable", reply: { status: answer.status, words: "the answer names no employee", errors: [] } };
  const employee = read.data as ContextEmployee;
  return { kind: "user", employee, administrator: employee.permissions?.admin?.view === "ALL" };
}
