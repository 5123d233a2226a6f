// "Save as one file": the page with all that it has been told so far, in a file that needs no server.
import {keptAnswers} from "./api";

export async function saveAsFile(): Promise<void> {
  const [script, style] = await Promise.all([text("app.js"), text("app.css")]);
  // In a script element only "</" and "<!--" have a meaning: neither is left.
  const data = JSON.stringify(keptAnswers()).replace(/</g, "\\u003c").replace(/\u2028/g, "\\u2028").replace(/\u2029/g, "\\u2029");
  const hash = JSON.stringify(location.hash).replace(/</g, "\\u003c");
  const dark = document.documentElement.dataset["theme"];
  const page = `<!doctype html>\n<html lang="en"${dark ? ` data-theme="${dark === "dark" ? "dark" : "light"}"` : ""}><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">` +
    `<title>Dissensus</title><link rel="icon" href="data:,"><style>${style}</style></head><body><div id="app"></div>` +
    `<script>window.savedAnswers=${data};if(!location.hash)history.replaceState(null,"",${hash});</script>` +
    `<script>${script.replace(/<\/script/gi, "<\\/script")}</script></body></html>\n`;
  const address = URL.createObjectURL(new Blob([page], {type: "text/html"}));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${document.title.replace(/[^A-Za-z0-9.-]+/g, "-").replace(/^-|-$/g, "")}.html`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function text(path: string): Promise<string> { return await (await fetch(path)).text(); }
