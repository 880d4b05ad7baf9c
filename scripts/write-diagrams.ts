import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSources } from '../packages/site/src/sources.ts';
import { diagramName, diagramsIn } from '../packages/site/src/diagrams.ts';

/**
 * Draws the Mermaid diagrams in the documentation into `docs/images/diagrams` (`npm run
 * write-diagrams`). The renderer is installed only for this command, because the pictures change
 * rarely.
 */

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs/images/diagrams');
/** The site replaces these colours with its themes' colours. */
const COLOURS = { bg: '#fff', fg: '#000', line: '#888', accent: '#00f', muted: '#555' };
const SPACING = { font: 'Inter', transparent: true, padding: 8, nodeSpacing: 20, layerSpacing: 28 };

type Renderer = {
  renderMermaidSVG(source: string, options: Readonly<Record<string, unknown>>): string;
};

const INSTALLED = new URL('diagrams/node_modules/beautiful-mermaid/dist/index.js', import.meta.url);
const { renderMermaidSVG } = (await import(INSTALLED.href)) as Renderer;

mkdirSync(FOLDER, { recursive: true });
for (const name of readdirSync(FOLDER)) rmSync(join(FOLDER, name));
for (const text of readSources(ROOT).pages.values()) {
  for (const source of diagramsIn(text)) {
    const svg = renderMermaidSVG(source, { ...COLOURS, ...SPACING });
    // The site loads nothing from other hosts, so the renderer's import of a font is removed.
    const local = svg.replace(/\s*@import url\([^)]*\);/g, '').replace(/[ \t]+$/gm, '');
    writeFileSync(join(FOLDER, `${diagramName(source)}.svg`), `${local.trim()}\n`);
  }
}
