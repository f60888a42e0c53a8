import type { memberNamed } from "../../operator/loyalty/find-member.ts";
import type { grantPoints } from "../../operator/loyalty/grant-points.ts";
import type { memberList } from "../../operator/loyalty/list-members.ts";
import type { memberStory } from "../../operator/loyalty/member-story.ts";

type Rest<Call extends (desk: never, ...rest: never[]) => unknown> = Call extends (desk: never, ...rest: infer Parameters) => infer Result
  ? (...rest: Parameters) => Result
  : never;

/** The personal data of a member that a page shows. Absent when it was erased. */
export interface ShownPerson {
  name: string;
  phone?: string;
}

/** The services of the pages about members. */
export interface MembersPart {
  list: Rest<typeof memberList>;
  find: Rest<typeof memberNamed>;
  story: Rest<typeof memberStory>;
  grant: Rest<typeof grantPoints>;
  personOf(row: Parameters<typeof memberStory>[2]): ShownPerson | undefined;
  /** Erases the member's personal data. Returns false when it was erased before. */
  erase(key: { appId: string; accountId: string }, memberId: string, actor: { name: string; place: "page" }): Promise<boolean>;
}
