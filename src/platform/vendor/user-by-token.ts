import type { Secret } from "../../kernel/secret.ts";
import type { Trouble, VendorBounds, VendorLine } from "./line.ts";
import { has, inWords, type VendorReply } from "./reply.ts";
import { type ContextUser, contextUserSchema } from "./schema.ts";

type UserByToken =
  | ({
      readonly kind: "user";
      /** True when the role is admin. */
      readonly administrator: boolean;
    } & ContextUser)
  /** There is no token. Without `reply`: nothing was sent. With `reply`: the platform answered 400 with the error 3008. */
  | { readonly kind: "empty"; readonly reply?: VendorReply }
  /** 404 with error 3007: the token is unknown, used, older than 60 s or of another solution. The window must ask its host for another. */
  | { readonly kind: "spent"; readonly reply: VendorReply }
  /** The call may have arrived and is not repeated: the token may be used up. The window must ask its host for another token. */
  | { readonly kind: "in-doubt"; readonly reason: string; readonly reply?: VendorReply }
  /** No attempt can have arrived. The token is unused and valid until its 60 s end. */
  | { readonly kind: "unreachable"; readonly reason: string }
  /** `unauthorized`: the 401 is about this server's own token. The one-time token is not used up. */
  | Extract<Trouble, { kind: "unauthorized" | "refused" | "cancelled" }>;

/**
 * Reads the user of this server's window by the one-time token of the window's host (platform-contracts 3.9). A token can be used once. So
 * the call is repeated only while no attempt can have arrived.
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
      const { reply } = answer;
      if (reply.status === 400 && has(reply, 3008)) return { kind: "empty", reply };
      return reply.status === 404 && has(reply, 3007) ? { kind: "spent", reply } : answer;
    }
    case "unavailable":
      return { kind: "in-doubt", reason: inWords(answer.reply), reply: answer.reply };
    case "unreachable":
      return left ? { kind: "in-doubt", reason: answer.reason } : answer;
    default:
      return answer;
  }
}
