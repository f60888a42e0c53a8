import { describe, expect, it } from "vitest";
import { fiscalEndpoints } from "../../../../src/contracts/fiscal/endpoints.ts";
import { fiscalSpec } from "../../../../src/contracts/fiscal/routes.ts";
import { openApiDocument } from "../../../../src/http/docs/openapi.ts";
import { PLATFORM_PROFILES } from "../../../../src/kernel/platform-profile.ts";

const PROFILE = PLATFORM_PROFILES.canonical;

describe("the documentation of the fiscal contract", () => {
  const contracts = [fiscalSpec(PROFILE)];
  const { paths } = openApiDocument({ title: "t", version: "1", serverUrl: "http://localhost", contracts });

  it("has the six paths and no alias", () => {
    expect(Object.keys(paths).sort()).toEqual([
      "/fiscal/1/closeshift",
      "/fiscal/1/openshift",
      "/fiscal/1/retaildemand",
      "/fiscal/1/retaildrawercashin",
      "/fiscal/1/retaildrawercashout",
      "/fiscal/1/retaisalesreturn",
    ]);
  });

  it("shows every member of a sale with its description, and which of them are needed", () => {
    const schema = paths["/fiscal/1/retaildemand"]?.post?.requestBody?.content["application/json"].schema;
    expect(schema?.required?.toSorted()).toEqual(["meta", "moment", "name", "payments", "positions", "retailShift"]);
    const undescribed = Object.entries(schema?.properties ?? {}).filter(([, member]) => !JSON.stringify(member).includes('"description"'));
    expect(undescribed).toEqual([]);
    expect(schema?.properties?.positions?.items?.required?.toSorted()).toEqual(["assortment", "price", "quantity"]);
  });

  it("names the headers of the active profile", () => {
    const names = (profile: typeof PROFILE) => fiscalEndpoints(profile)[0]?.headers?.map(({ name }) => name);
    expect(names(PROFILE)).toEqual(["X-Platform-Fiscal-Account-Id", "X-Platform-Fiscal-Signature"]);
    expect(names(PLATFORM_PROFILES.production)).toEqual(["X-Lognex-Fiscal-Account-Id", "X-Lognex-Fiscal-Signature"]);
  });
});
