import { type core, z } from "zod";
import { listSpecOf } from "../../kernel/list-schema.ts";
import { present } from "../../kernel/present.ts";
import { MAX_BODY_WORDS } from "../raw-body.ts";
import type { AnswerSpec, ContractSpec, Endpoint } from "../route.ts";
import type { JsonSchema } from "./fields.ts";

/** The part of OpenAPI 3.1 that this server writes. */
export interface OpenApi {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

export interface OpenApiOperation {
  operationId: string;
  tags: [string];
  summary: string;
  description?: string;
  parameters?: { name: string; in: "path" | "header"; required: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { required: true; content: JsonContent };
  responses: Record<string, { description: string; content?: JsonContent }>;
}

export interface JsonContent {
  "application/json": { schema: JsonSchema };
}

/** Makes the documentation of the contracts from their endpoints and the schemas of the bodies. */
export function openApiDocument(options: {
  title: string;
  version: string;
  serverUrl: string;
  contracts: readonly ContractSpec[];
}): OpenApi {
  const paths: OpenApi["paths"] = {};
  for (const contract of options.contracts) {
    for (const endpoint of contract.endpoints) {
      const path = contract.base + endpoint.path.replace(/:([A-Za-z]+)/g, "{$1}");
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(contract, endpoint) };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: options.title, version: options.version, description: INTRODUCTION },
    servers: [{ url: options.serverUrl }],
    tags: options.contracts.map(({ title, description }) => ({ name: title, description })),
    paths,
    components: { schemas: schemasOf(options.contracts) },
  };
}

function schemasOf(contracts: readonly ContractSpec[]): Record<string, JsonSchema> {
  const named = contracts.flatMap(({ schemas = {} }) => Object.entries(schemas));
  return Object.fromEntries(named.map(([name, schema]) => [name, jsonSchemaOf(schema)]));
}

const INTRODUCTION = `Bodies are JSON in UTF-8, up to ${MAX_BODY_WORDS}, gzip accepted. Unknown fields are ignored, null counts as absent, numbers may be written as strings. A doubled slash in a path counts as one.`;

function operationOf(contract: ContractSpec, endpoint: Endpoint): OpenApiOperation {
  const parameters = [
    ...[...endpoint.path.matchAll(/:([A-Za-z]+)/g)].map(([, name = ""]) => ({
      name,
      in: "path" as const,
      required: true,
      schema: { type: "string" },
    })),
    ...(endpoint.headers ?? []).map((header) => ({ ...header, in: "header" as const, schema: { type: "string" } })),
  ];
  return {
    operationId: `${contract.base.slice(1)}-${endpoint.id}`,
    tags: [contract.title],
    summary: endpoint.summary,
    ...present({ description: endpoint.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === undefined ? {} : { requestBody: { required: true, content: contentOf(endpoint.body) } }),
    responses: responsesOf(endpoint.answers),
  };
}

function responsesOf(answers: readonly AnswerSpec[]): OpenApiOperation["responses"] {
  const responses: OpenApiOperation["responses"] = {};
  for (const { status, description, body } of answers) {
    const earlier = responses[status]?.description;
    responses[status] = {
      description: earlier === undefined ? description : `${earlier}; ${description}`,
      ...(body === undefined ? {} : { content: contentOf(body) }),
    };
  }
  return responses;
}

function contentOf(schema: z.ZodType): JsonContent {
  return { "application/json": { schema: jsonSchemaOf(schema) } };
}

/**
 * Returns the JSON Schema of a body as a caller may send it. A Zod schema that begins with a transform accepts any input, so the schema
 * after the transform is used.
 */
function jsonSchemaOf(schema: core.$ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      const list = listSpecOf(zodSchema);
      if (list !== undefined) Object.assign(jsonSchema, { type: "array", items: jsonSchemaOf(list.item) });
      const def = zodSchema._zod.def;
      if (def.type !== "pipe") return;
      const { in: first, out } = def as core.$ZodPipeDef;
      if (first._zod.def.type === "transform") Object.assign(jsonSchema, jsonSchemaOf(out));
    },
  });
  return rest as JsonSchema;
}
