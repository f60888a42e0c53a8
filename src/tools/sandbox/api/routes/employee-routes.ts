import { lastSegment } from "../../../../kernel/web-address.ts";
import { pathIn } from "../../addresses/href.ts";
import { refused, within } from "../../call/refusal.ts";
import { renderReference } from "../../reading/render.ts";
import type { Reading } from "../../types/entity-type.ts";
import { fieldTable } from "../../types/field.ts";
import { EMPLOYEE } from "../../types/parties/employee.ts";
import { permissionsOf } from "../../types/parties/permissions.ts";
import { ROLES } from "../../types/parties/roles.ts";
import type { JsonObject } from "../../values/json.ts";
import { referenceIn, type Stored, type Value, type Values } from "../../values/stored.ts";
import { readFields, type Sent } from "../../writing/read-fields.ts";
import { type Answer, ok } from "../answers/answer.ts";
import { objectBody } from "../requests/body.ts";
import type { ApiRequest, ApiRoute } from "./route.ts";
import { storedOf } from "./type-in-path.ts";

/** The type of the stored object with an employee's access. The object has the employee's id. */
const ACCESS = "employeeaccess";
const ONE = "entity/employee/:id";

/** The employees' access to the account, and the account's roles (json-api 13.13). Neither has an effect in the sandbox (json-api D48). */
export const EMPLOYEE_ROUTES: readonly ApiRoute[] = [
  { method: "GET", pattern: "entity/role/:role", handle: role },
  {
    method: "GET",
    pattern: `${ONE}/security`,
    handle: (request) => ok(rendered(storedOf(employeeIn(request), EMPLOYEE), request.reading)),
  },
  { method: "PUT", pattern: `${ONE}/security`, handle: (request) => change(request, {}) },
  { method: "PUT", pattern: `${ONE}/access/activate`, handle: (request) => change(request, { isActive: true }) },
  { method: "PUT", pattern: `${ONE}/access/deactivate`, handle: (request) => change(request, { isActive: false }) },
];

const FIELDS = fieldTable(`
  isActive  bool
  login     string(255)
  email     string(255)
  group     ref:group
`);

function role({ params, path, reading }: ApiRequest): Answer {
  const name = params.role ?? "";
  if (!ROLES.has(name)) throw refused(1002, undefined, path);
  return ok({ ...roleReference(name, reading), permissions: permissionsOf(reading.catalogue, name === "admin" || name === "owner") });
}

function roleReference(name: string, { call }: Reading): { meta: JsonObject } {
  return { meta: { href: `${call.api}/entity/role/${name}`, type: ROLES.get(name) ?? "", mediaType: "application/json" } };
}

/** Adds the parameter `type` for `storedOf`, because the patterns of these routes have no `:type`. */
function employeeIn(request: ApiRequest): ApiRequest {
  return { ...request, params: { ...request.params, type: EMPLOYEE.name } };
}

async function change(request: ApiRequest, forced: Values): Promise<Answer> {
  const { reading } = request;
  if (!reading.call.caller.administrator) throw refused(1017);
  const sent: Sent = request.bodied ? objectBody(request.json()) : {};
  const employee = storedOf(employeeIn(request), EMPLOYEE);
  await reading.account.commit(() => {
    const before = reading.account.objects.get(ACCESS, employee.id)?.values ?? {};
    const values = { ...readFields(FIELDS, sent, before, true, reading, () => undefined), ...roleIn(sent, reading), ...forced };
    reading.account.put({ type: ACCESS, id: employee.id, values });
  }, reading.call);
  return ok(rendered(employee, reading));
}

/** Returns the body's role, if any. Throws 2010 for a meta without href, 1059 for a foreign host, 2013 for an unknown role. */
function roleIn({ role: sent }: Sent, reading: Reading): Values {
  if (sent === undefined || sent === null) return {};
  return within("role", () => {
    const href: unknown = Reflect.get(Object(Reflect.get(Object(sent), "meta")), "href");
    if (typeof href !== "string" || href === "") throw refused(2010, "role");
    const name = lastSegment(pathIn(href, "role", reading) ?? "");
    if (!ROLES.has(name)) throw refused(2013, "role", href);
    return { role: name };
  });
}

/** Returns the employee's access. Values that were never written come from the login and the employee. */
function rendered(employee: Stored, reading: Reading): JsonObject {
  const { account } = reading;
  const login = [...account.objects.all("login").values()].find(({ values }) => referenceIn(values.employee)?.id === employee.id);
  const known: Values = {
    isActive: login !== undefined,
    login: login?.values.login ?? employee.values.uid,
    email: employee.values.email,
    group: employee.values.group,
    role: login?.values.administrator === true ? "admin" : "cashier",
  };
  const { isActive, login: name, email, group, role: held } = { ...known, ...account.objects.get(ACCESS, employee.id)?.values };
  const department = referenceIn(group);
  return {
    isActive: isActive === true,
    ...textOf("login", name),
    ...textOf("email", email),
    ...(department === undefined ? {} : { group: renderReference(department, reading) }),
    role: roleReference(String(held), reading),
  };
}

function textOf(name: string, value: Value | undefined): JsonObject {
  return typeof value === "string" ? { [name]: value } : {};
}
