// node build.mjs OUT            bundles the console into the folder OUT
// node build.mjs --tests OUT    bundles each src/*_test.ts for node's test runner
// HUSK_WEB_MODULES is the folder that node_modules is in, where it is not this one.
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.env.HUSK_WEB_MODULES ?? here);
const esbuild = createRequire(join(modules, "package.json"))("esbuild");
const tests = process.argv[2] === "--tests";
const out = resolve(process.argv[tests ? 3 : 2] ?? "dist");

const common = { bundle: true, outdir: out, absWorkingDir: here, logLevel: "warning", charset: "utf8" };
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
if (tests) {
    const entryPoints = readdirSync(join(here, "src")).filter((name) => name.endsWith("_test.ts"));
    await esbuild.build({
        ...common,
        entryPoints: entryPoints.map((name) => join("src", name)),
        platform: "node",
        format: "esm",
        outExtension: { ".js": ".mjs" },
    });
} else {
    await esbuild.build({
        ...common,
        entryPoints: { app: "src/main.ts", styles: "styles/styles.css" },
        format: "esm",
        target: ["chrome123", "firefox121", "safari17.5"],
        minify: true,
        legalComments: "none",
    });
    for (const name of ["index.html", "icon.svg"]) cpSync(join(here, name), join(out, name));
}
