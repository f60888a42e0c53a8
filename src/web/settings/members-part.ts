import type { memberNamed } from "../../operator/loyalty/find-member.ts";
import type { grantPoints } from "../../operator/loyalty/grant-points.ts";
import type { memberList } from "../../operator/loyalty/list-members.ts";
import type { memberStory } from "../../operator/loyalty/member-story.ts";

type Rest<Call extends (desk: never, ...rest: never[]) => unknown> = Call extends (desk: never, ...rest: infer Parameters) => infer Result
  ? (...rest: Parameters) => Result
  : never;

/** A member's shown personal data. Absent: erased. */
export interface ShownPerson {
  name: string;
  phone?: string;
}

export interface MembersPart {
  list: Rest<typeof memberList>;
  find: Rest<typeof memberNamed>;
  story: Rest<typeof memberStory>;
  grant: Rest<typeof grantPoints>;
  personOf(row: Parameters<typeof memberStory>[2]): ShownPerson | undefined;
  /** Erases the member's personal data. False: already erased. */
  erase(key: { appId: string; accountId: string }, memberId: string, actor: { name: string; place: "page" }): Promise<boolean>;
}
