import type { Secret } from "../../kernel/secret.ts";
import type { Trouble, VendorBounds, VendorLine } from "./line.ts";
import { type ContextUser, contextUserSchema } from "./schema.ts";
import { has, inWords, type Told } from "./told.ts";

type UserByToken =
  | ({
      readonly kind: "user";
      /** Whether the role is admin. */
      readonly administrator: boolean;
    } & ContextUser)
  /** There is no token. Not sent; the platform would say 400 with 3008. */
  | { readonly kind: "empty"; readonly told?: Told }
  /** 404 with 3007: unknown, used, older than 60 s, or made for another solution. The window asks its host for another. */
  | { readonly kind: "spent"; readonly told: Told }
  /** Sent, and nobody knows whether it is used up: it was not sent again. The window asks its host for another. */
  | { readonly kind: "in-doubt"; readonly reason: string; readonly told?: Told }
  /** Never sent: the token is as good as before, while its 60 s last. */
  | { readonly kind: "unreachable"; readonly reason: string }
  /** 401 is of our own token; the one-time token is not used up. */
  | Extract<Trouble, { kind: "unauthorized" | "refused" | "cancelled" }>;

/**
 * Who sits in front of our window, by the one-time token that its host gave it (platform-contracts 3.9). One exchange: it is tried
 * again only while the connection cannot be made, and never once the token may have arrived.
 */
export async function readUserByToken(line: VendorLine, appId: string, token: Secret, bounds: VendorBounds = {}): Promise<UserByToken> {
  if (token.reveal() === "") return { kind: "empty" };
  const { answer, left } = await line.call({
    appId,
    method: "POST",
    path: "context/user",
    body: { token: token.reveal() },
    secrets: [token],
    again: "never-left",
    bounds,
  });
  switch (answer.kind) {
    case "good": {
      const read = contextUserSchema.safeParse(answer.body);
      if (read.success) return { kind: "user", administrator: read.data.role === "admin", ...read.data };
      return { kind: "in-doubt", reason: `answered ${answer.status}, and names no user` };
    }
    case "refused": {
      const { told } = answer;
      if (told.status === 400 && has(told, 3008)) return { kind: "empty", told };
      return told.status === 404 && has(told, 3007) ? { kind: "spent", told } : answer;
    }
    case "unavailable":
      return { kind: "in-doubt", reason: inWords(answer.told), told: answer.told };
    case "unreachable":
      return left ? { kind: "in-doubt", reason: answer.reason } : answer;
    default:
      return answer;
  }
}
