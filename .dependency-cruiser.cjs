// Who may import whom. Two tables: layers of our own, and one door for each library.
// Rules look at type-only imports too, because a type is a dependency of whoever reads the code;
// where a table allows types only, it says so.

/** What emulate plays: the device of a protocol, which sits on the virtual register, at the end of a line. */
const EMULATED_DEVICE = "registers/(links|tags|virtual|[a-z0-9-]+/device)/";

/** What stands beside the tools is for each of them. */
const BESIDE_TOOLS = "tools/[a-z0-9-]+\\.ts$";

/** Layer -> what it may import besides itself, model and kernel. Paths below src, as the start of a regular expression. */
const LAYERS = {
  kernel: [],
  model: [],
  store: [],
  security: [],
  http: [],
  platform: [],
  registers: [],
  acquirers: [],
  receipts: [],
  messages: [],
  journal: ["store/"],
  accounts: ["store/", "security/", "platform/"],
  operations: ["journal/", "accounts/", "receipts/", "registers/(register|protocol)\\.ts$"],
  operator: [
    "operations/",
    "journal/",
    "accounts/",
    "payments/",
    "loyalty/",
    "agents/",
    "receipts/",
    "registers/(register|protocol)\\.ts$",
  ],
  payments: ["accounts/", "journal/[a-z-]+queries\\.ts$", "store/", "acquirers/acquirer\\.ts$"],
  loyalty: ["accounts/", "store/", "security/seal\\.ts$", "platform/vendor/", "messages/channel\\.ts$"],
  cluster: ["store/", "security/", "http/"],
  // Reads what the journal and payments hold, and keeps in its own table who was told of it.
  alerts: ["accounts/", "journal/", "payments/attention-queries\\.ts$", "store/", "messages/(alert-)?channel\\.ts$"],
  agents: ["accounts/", "store/", "security/", "registers/agent/", "registers/tunnel\\.ts$"],
  // The process in the shop knows neither journal nor platform.
  agent: ["registers/"],
  // Of receipts the data alone, which pages draw: what makes it comes through compose.
  web: [
    "http/",
    "security/",
    "operations/",
    "operator/",
    "accounts/",
    "journal/",
    "payments/",
    "loyalty/",
    "agents/",
    "receipts/receipt\\.ts$",
  ],
  "tools/sandbox": ["http/", BESIDE_TOOLS],
  "tools/bank": ["http/", BESIDE_TOOLS],
  "tools/emulate": [EMULATED_DEVICE, BESIDE_TOOLS],
  "tools/conformance": ["http/", "tools/sandbox/caller/", BESIDE_TOOLS],
  // The demo starts an emulator as a program of its own and gives it orders.
  "tools/demo": ["registers/catalogue\\.ts$", "tools/sandbox/caller/", "tools/emulate/control-schema\\.ts$", BESIDE_TOOLS],
};

/** Contracts are layers of their own: none may import another. */
const CONTRACTS = ["fiscal", "qrpay", "loyalty", "vendor", "events", "hooks", "agents"];

/** Layers whose folders are still to come; the check fails once one is there and not struck from this list. */
const PLANNED = [];
const CONTRACT_MAY_IMPORT = ["http/", "security/", "operations/", "accounts/", "journal/", "payments/", "loyalty/", "agents/"];

/** Layers that may use the types of the contracts' bodies, and nothing else of them. */
const BODY_TYPE_READERS = ["tools/sandbox", "tools/conformance"];

/** Library -> files below src that may import it. */
const DOORS = {
  serialport: ["registers/links/serial\\.ts$"],
  pdfkit: ["receipts/pdf\\.ts$"],
  archiver: ["receipts/archive\\.ts$"],
  "@expo-google-fonts": ["receipts/"],
  kysely: ["store/", ".*queries\\.ts$"],
  "better-sqlite3": ["store/dialects(\\.ts$|/)", "kernel/folder-lock\\.ts$", "agent/record\\.ts$"],
  pg: ["store/(dialects(\\.ts$|/)|lock\\.ts$|schema-lock\\.ts$)"],
  express: ["http/", "(contracts|web)/.*routes\\.ts$"],
  helmet: ["http/"],
  hono: ["web/html\\.ts$"],
  pino: ["(app|agent)/logging\\.ts$"],
  "prom-client": ["app/metrics\\.ts$", "app/metrics/[a-z]+-metrics\\.ts$"],
  jose: ["security/(token|key-set)\\.ts$"],
  nodemailer: ["messages/mail-server\\.ts$"],
  ws: ["registers/agent/wire/web-socket\\.ts$"],
  undici: ["(platform/api|acquirers)/exchange\\.ts$", "cluster/calls\\.ts$"],
  "libphonenumber-js": ["loyalty/phone\\.ts$"],
  "node-forge": ["security/public-key\\.ts$", "tools/sandbox/(caller/signing-key|api/listening/certificate)\\.ts$"],
  saxes: ["tools/conformance/descriptor/xml\\.ts$"],
  zod: [".*schema\\.ts$", "contracts/[a-z]+/fields\\.ts$", "(app|agent)/config\\.ts$", "http/docs/openapi\\.ts$"],
};

/** The type of a schema may be named anywhere: whoever names it neither makes one nor runs one. */
const TYPES_ANYWHERE = ["zod"];

const below = (paths) => paths.map((path) => `^src/${path}`);

function layerRule(name, from, allowed) {
  const own = [...below(allowed), `^src/${from}`, "^src/(model|kernel)/"];
  return {
    name,
    severity: "error",
    from: { path: `^src/${from}` },
    to: { path: "^src/", pathNot: own },
  };
}

function bodyTypeException(rule) {
  return [
    { ...rule, to: { ...rule.to, pathNot: [...rule.to.pathNot, "^src/contracts/[a-z]+/schema\\.ts$"] } },
    {
      name: `${rule.name}-types-of-bodies-only`,
      severity: "error",
      from: rule.from,
      to: { path: "^src/contracts/", dependencyTypesNot: ["type-only"] },
    },
  ];
}

const layerRules = Object.entries(LAYERS).flatMap(([layer, allowed]) => {
  if (layer === "kernel") return [{ ...layerRule("layer-kernel", "kernel/", []), to: { path: "^src/", pathNot: ["^src/kernel/"] } }];
  const rule = layerRule(`layer-${layer}`, `${layer}/`, allowed);
  return BODY_TYPE_READERS.includes(layer) ? bodyTypeException(rule) : [rule];
});

/** They know no tool and nothing else of the house. */
const besideTools = layerRule("layer-beside-tools", BESIDE_TOOLS, []);

const contractRules = CONTRACTS.map((contract) => layerRule(`contract-${contract}`, `contracts/${contract}/`, CONTRACT_MAY_IMPORT));

const doorRules = Object.entries(DOORS).map(([library, doors]) => ({
  name: `door-${library.replace(/[^a-z0-9-]/g, "")}`,
  severity: "error",
  from: { path: "^src/", pathNot: below(doors) },
  to: {
    path: `^node_modules/(@types/)?${library}/`,
    ...(TYPES_ANYWHERE.includes(library) ? { dependencyTypesNot: ["type-only"] } : {}),
  },
}));

const registerRules = [
  {
    name: "protocol-folders-apart",
    comment: "A protocol folder never imports another; the emulator's own folder sits on the virtual device.",
    severity: "error",
    from: { path: "^src/registers/([a-z0-9-]+)/", pathNot: "^src/registers/(links|tags|virtual)/" },
    to: { path: "^src/registers/[a-z0-9-]+/", pathNot: ["^src/registers/(links|tags|virtual)/", "^src/registers/$1/"] },
  },
  {
    name: "driver-without-device",
    comment: "A driver never imports a device: neither its own byte-level front nor the virtual device behind it.",
    severity: "error",
    from: {
      path: "^src/registers/([a-z0-9-]+)/",
      pathNot: ["^src/registers/[a-z0-9-]+/device/", "^src/registers/(links|virtual|emulator)/"],
    },
    to: { path: ["^src/registers/[a-z0-9-]+/device/", "^src/registers/virtual/"] },
  },
  {
    name: "device-shares-frame-commands-charset",
    severity: "error",
    from: { path: "^src/registers/([a-z0-9-]+)/device/" },
    to: {
      path: "^src/registers/$1/",
      pathNot: ["^src/registers/$1/device/", "^src/registers/$1/(wire/frame[a-z-]*|commands/[a-z-]+)\\.ts$"],
    },
  },
  {
    name: "links-below-protocols",
    comment: "Links and tags are below every protocol and below the virtual device, which may read and write tags.",
    severity: "error",
    from: { path: "^src/registers/(links|tags|virtual)/" },
    to: { path: "^src/registers/[a-z0-9-]+/", pathNot: ["^src/registers/$1/", "^src/registers/tags/"] },
  },
  {
    name: "catalogue-through-the-door",
    comment: "Outside its folder a protocol is its index.ts; emulate plays its device, both ends of a tunnel share its wire.",
    severity: "error",
    from: { path: "^src/", pathNot: ["^src/registers/[a-z0-9-]+/", "^src/(app|cli|tools/emulate)/", "^src/(main|cli)\\.ts$"] },
    to: {
      path: "^src/registers/[a-z0-9-]+/",
      pathNot: ["^src/registers/(links|tags|virtual)/", "/index\\.ts$", "^src/registers/agent/wire/"],
    },
  },
];

const acquirerRules = [
  {
    name: "acquirer-folders-apart",
    comment: "An acquirer's folder never imports another.",
    severity: "error",
    from: { path: "^src/acquirers/([a-z0-9-]+)/" },
    to: { path: "^src/acquirers/[a-z0-9-]+/", pathNot: ["^src/acquirers/$1/"] },
  },
  {
    name: "acquirer-through-its-door",
    comment: "Outside its folder an acquirer is its index.ts, and only the catalogue opens that door.",
    severity: "error",
    from: { path: "^src/", pathNot: ["^src/acquirers/[a-z0-9-]+/", "^src/acquirers/catalogue\\.ts$"] },
    to: { path: "^src/acquirers/[a-z0-9-]+/" },
  },
];

const allLayers = [...Object.keys(LAYERS), ...CONTRACTS.map((contract) => `contracts/${contract}`)];

module.exports = {
  layers: { standing: allLayers.filter((layer) => !PLANNED.includes(layer)), planned: PLANNED },
  forbidden: [
    ...layerRules,
    besideTools,
    ...contractRules,
    ...doorRules,
    ...registerRules,
    ...acquirerRules,
    {
      name: "tools-are-for-cli-and-tests",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/(tools|cli)/", "^src/cli\\.ts$"] },
      to: { path: "^src/tools/" },
    },
    {
      name: "nothing-imports-the-top",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/(app|cli)/", "^src/(main|cli)\\.ts$"] },
      to: { path: ["^src/(app|cli)/", "^src/(main|cli)\\.ts$"] },
    },
    {
      name: "cluster-through-arguments",
      comment: "The fence, the question of the link and the forwarding reach the other parts as arguments.",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/(app|cli|cluster)/"] },
      to: { path: "^src/cluster/" },
    },
    {
      name: "sandbox-engine-below-its-door",
      comment:
        "The JSON API's door (api/) stands on the sandbox's engine, never the engine on the door. The solution's host, its tills " +
        "and its windows are no front: whoever steers them over HTTP does it through api/solution-control.ts, so they have no exception.",
      severity: "error",
      from: { path: "^src/tools/sandbox/", pathNot: ["^src/tools/sandbox/(api/|sandbox\\.ts$)"] },
      to: { path: "^src/tools/sandbox/api/" },
    },
    { name: "sources-never-import-tests", severity: "error", from: { path: "^src/" }, to: { path: "^test/" } },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } } },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "no-development-packages-in-sources",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "only-declared-packages",
      severity: "error",
      from: {},
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["type-only"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "require", "node", "default", "types"] },
  },
};
