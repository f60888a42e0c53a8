import { type Field, fieldsOf, type JsonSchema } from "./fields.ts";
import type { JsonContent, OpenApi, OpenApiOperation } from "./openapi.ts";

/** The documentation page: plain HTML, without scripts and without content of other servers. */
export function docsPage(document: OpenApi, styleAddress: string): string {
  const contracts = document.tags.map(({ name, description }) => ({ name, description, operations: operationsOf(document, name) }));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(document.info.title)} · contracts</title>
<link rel="stylesheet" href="${text(styleAddress)}">
</head>
<body>
<a class="skip" href="#contracts">Skip to the contracts</a>
<nav aria-label="Contracts">
<p class="brand">${text(document.info.title)}<small>version ${text(document.info.version)}</small></p>
${contracts.map(navigation).join("\n")}
<p class="raw"><a href="openapi.json">openapi.json</a></p>
</nav>
<main id="contracts">
<header>
<h1>Contracts</h1>
<p>${prose(document.info.description)}</p>
<p>Made from the schemas that check the requests. Base address: <code>${text(document.servers[0]?.url ?? "")}</code></p>
</header>
${contracts.map(section).join("\n")}
</main>
</body>
</html>
`;
}

interface Listed {
  method: string;
  path: string;
  operation: OpenApiOperation;
}

interface Contract {
  name: string;
  description: string;
  operations: Listed[];
}

function operationsOf(document: OpenApi, tag: string): Listed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags[0] === tag)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function navigation({ name, operations }: Contract): string {
  const items = operations.map(
    ({ method, operation }) => `<li><a href="#${text(operation.operationId)}">${badge(method)} ${text(operation.summary)}</a></li>`,
  );
  return `<h2><a href="#${slug(name)}">${text(name)}</a></h2>\n<ul>${items.join("")}</ul>`;
}

function section({ name, description, operations }: Contract): string {
  return `<section class="contract" id="${slug(name)}">
<h2>${text(name)}</h2>
<p>${prose(description)}</p>
${operations.map(article).join("\n")}
</section>`;
}

function article({ method, path, operation }: Listed): string {
  const headers = (operation.parameters ?? []).filter((parameter) => parameter.in === "header");
  return `<article id="${text(operation.operationId)}">
<h3>${badge(method)} <code>${text(path)}</code></h3>
<p class="summary">${text(operation.summary)}</p>
${operation.description === undefined ? "" : `<p>${prose(operation.description)}</p>`}
${headers.length === 0 ? "" : table("Headers", headers.map(headerField))}
${operation.requestBody === undefined ? "" : table("Request", bodyFields(operation.requestBody.content))}
${answers(operation)}
</article>`;
}

function answers({ responses }: OpenApiOperation): string {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    const fields = content === undefined ? [] : bodyFields(content);
    const body = fields.length === 0 ? "" : `<details><summary>body</summary>${table("", fields)}</details>`;
    return `<li><span class="status s${status[0]}">${status}</span><div>${prose(description)}${body}</div></li>`;
  });
  return `<h4>Answers</h4>\n<ul class="answers">${rows.join("\n")}</ul>`;
}

function table(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return "";
  const rows = fields.map(
    ({ depth, name, type, required, description }) =>
      `<tr><th scope="row" class="d${Math.min(depth, 5)}"><code>${text(name)}</code>${required ? '<span class="required" title="required">required</span>' : ""}</th>` +
      `<td class="type">${text(type)}</td><td>${prose(description)}</td></tr>`,
  );
  return `${title === "" ? "" : `<h4>${title}</h4>\n`}<div class="scroll"><table><tbody>${rows.join("\n")}</tbody></table></div>`;
}

function bodyFields(content: JsonContent): Field[] {
  return fieldsOf(content["application/json"].schema);
}

function headerField(header: { name: string; required: boolean; description?: string; schema: JsonSchema }): Field {
  return { depth: 0, name: header.name, type: "string", required: header.required, description: header.description ?? "" };
}

function badge(method: string): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function slug(name: string): string {
  return text(name.toLowerCase().replace(/[^a-z0-9]+/g, "-"));
}

function prose(words: string): string {
  return text(words).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function text(words: string): string {
  return words.replace(/[&<>"]/g, (char) => ESCAPES[char] ?? char);
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
