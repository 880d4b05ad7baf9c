import { createHash } from 'node:crypto';
import type { Sources } from './sources.ts';

/** Returns the name of the drawing of a diagram. It changes whenever the diagram changes. */
export function diagramName(source: string): string {
  return createHash('sha256').update(source.trim()).digest('hex').slice(0, 16);
}

/** Returns the sources of the diagrams on a page. */
export function diagramsIn(page: string): string[] {
  return [...page.matchAll(/^```mermaid\n([^]*?)^```$/gm)].map(([, source = '']) => source);
}

/**
 * Returns the drawing of a diagram, or undefined if it has not been drawn. Its colours and font are
 * in the styles of the site, because the policy of the site forbids styles in a page.
 */
export function drawingOf(source: string, { diagrams }: Sources): string | undefined {
  return diagrams
    .get(diagramName(source))
    ?.replace(/<style>[^]*?<\/style>\s*/, '')
    .replace(/^<svg([^>]*?) style="[^"]*"/, '<svg$1 aria-hidden="true"')
    .trim();
}
