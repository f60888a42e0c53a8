import type { Secret } from "../../kernel/secret.ts";
import type { Trouble, VendorBounds, VendorLine } from "./line.ts";
import { type ContextEmployee, contextEmployeeSchema } from "./schema.ts";
import type { Told } from "./told.ts";

/** A key comes from a browser and becomes a segment of a path: nothing that leads elsewhere, `context/user` least of all. */
const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{15,255}$/;

type UserByKey =
  | {
      readonly kind: "user";
      /** All that the platform's employee context has. */
      readonly employee: ContextEmployee;
      /** Whether `permissions.admin.view` is ALL. */
      readonly administrator: boolean;
    }
  /** 403: the key was made for another solution. */
  | { readonly kind: "foreign"; readonly told: Told }
  /** 404 in the platform's own words: unknown, or older than five minutes. Without `told` it is no key at all and was not sent. */
  | { readonly kind: "expired"; readonly told?: Told }
  | Trouble;

/**
 * Who opened our window, by the contextKey of its address (platform-contracts 3.9). Repeated on 5xx and a lost connection: the platform
 * takes a key more than once, though it may not always; then a repeat ends as `expired`, and the window has to be opened anew. Keep
 * a session of our own afterwards, and use a key once.
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
    const { told } = answer;
    if (told.errors.length === 0) return answer;
    if (told.status === 403) return { kind: "foreign", told };
    return told.status === 404 ? { kind: "expired", told } : answer;
  }
  if (answer.kind !== "good") return answer;
  const read = contextEmployeeSchema.safeParse(answer.body);
  if (!read.success) return { kind: "unavailable", told: { status: answer.status, words: "the answer names no employee", errors: [] } };
  const employee = read.data as ContextEmployee;
  return { kind: "user", employee, administrator: employee.permissions?.admin?.view === "ALL" };
}
