import { MAX_BODY_WORDS } from "../../http/raw-body.ts";
import type { Endpoint, HeaderSpec } from "../../http/route.ts";
import { type PlatformProfile, vendorPath } from "../../kernel/platform-profile.ts";
import { actionErrorSchema, activationSchema, deactivationSchema, errorsSchema, eventSchema, statusSchema } from "./schema.ts";

export type VendorCallId = "putInstallation" | "deleteInstallation" | "getInstallation" | "putEvent" | "pressButton" | "runScenario";

/** The calls, with their paths below the contract's base. One segment of the paths depends on the profile (`vendorPath`). */
export function vendorEndpoints(profile: PlatformProfile): (Endpoint & { id: VendorCallId })[] {
  const installation = `${vendorPath(profile)}/apps/:appId/:accountId`;
  const headers = headersOf(profile);
  return [
    {
      id: "putInstallation",
      method: "PUT",
      path: installation,
      summary: "Activate the solution on an account, or change its subscription",
      description: "Safe to repeat. The status says whether settings are still missing.",
      headers,
      body: activationSchema,
      answers: [{ status: 200, description: "Status of the installation", body: statusSchema }, ...refusals()],
    },
    {
      id: "deleteInstallation",
      method: "DELETE",
      path: installation,
      summary: "Suspend or uninstall the solution on an account",
      description: "Safe to repeat. The access token is wiped, settings are kept.",
      headers,
      body: deactivationSchema,
      answers: [{ status: 200, description: "Stopped" }, { status: 204, description: "Was not there" }, ...refusals()],
    },
    {
      id: "getInstallation",
      method: "GET",
      path: installation,
      summary: "Status of an installation",
      headers,
      answers: [{ status: 200, description: "Status of the installation", body: statusSchema }, notFound(), ...refusals()],
    },
    {
      id: "putEvent",
      method: "PUT",
      path: `${installation}/event`,
      // The platform's documents write the path with and without the profile's segment (interface 6, Event path).
      aliases: ["/api/vendor/1.0/apps/:appId/:accountId/event"],
      summary: "Permissions of an installation have changed",
      headers,
      body: eventSchema,
      answers: [{ status: 200, description: "Taken" }, notFound(), ...refusals()],
    },
    ...actionEndpoints(installation, headers),
  ];
}

function actionEndpoints(installation: string, headers: HeaderSpec[]): (Endpoint & { id: VendorCallId })[] {
  const answers = [
    { status: 400, description: "The solution has none; the message is for the user", body: actionErrorSchema },
    ...refusals(),
  ];
  return [
    {
      id: "pressButton",
      method: "POST",
      path: `${installation}/button`,
      summary: "A button of the solution was pressed",
      headers,
      answers,
    },
    {
      id: "runScenario",
      method: "POST",
      path: `${installation}/scenario`,
      summary: "A scenario calls an action of the solution",
      headers,
      answers,
    },
  ];
}

function headersOf({ headers }: PlatformProfile): HeaderSpec[] {
  return [
    {
      name: "Authorization",
      description: "Bearer and a JSON web token: HS256 with the secret of the appId; exp, iat, jti",
      required: true,
    },
    { name: headers.requestId, description: "Unchanged when the platform repeats a call", required: false },
  ];
}

function notFound() {
  return { status: 404, description: "Not installed", body: errorsSchema };
}

function refusals() {
  return [
    { status: 400, description: "The body is wrong; `parameter` names the field", body: errorsSchema },
    { status: 401, description: "The token is missing, wrong, expired or was used for another call", body: errorsSchema },
    { status: 413, description: `The body is larger than ${MAX_BODY_WORDS}`, body: errorsSchema },
    { status: 415, description: "The body is no JSON", body: errorsSchema },
    { status: 503, description: "A fault of the server: repeat the call", body: errorsSchema },
  ];
}
