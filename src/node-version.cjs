// Plain old CommonJS: it must run under whatever Node somebody happens to have, to say what is missing.
var needed = 24;
var major = Number(process.versions.node.split(".")[0]);
if (major < needed) {
  console.error(
    "Node " + needed + " or newer is needed, this is " + process.version + ": run `npm ci`, which brings it, and start with `npm start`.",
  );
  process.exit(1);
}
