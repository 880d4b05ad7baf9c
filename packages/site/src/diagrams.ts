import { createHash } from 'node:crypto';
import type { Sources } from './sources.ts';

/** Returns the name of a diagram's drawing, which changes whenever the diagram does. */
export function diagramName(source: string): string {
  return createHash('sha256').update(source.trim()).digest('hex').slice(0, 16);
}

/** Returns the sources of the diagrams on a page. */
export function diagramsIn(page: string): string[] {
  return [...page.matchAll(/^```mermaid\n([^]*?)^```$/gm)].map(([, source = '']) => source);
}

/**
 * Returns a diagram's drawing, or undefined if it has not been drawn. Its colours and font are in
 * the site's style sheet, because the site's content security policy forbids inline styles.
 */
export function drawingOf(source: string, { diagrams }: Sources): string | undefined {
  return diagrams
    .get(diagramName(source))
    ?.replace(/<style>[^]*?<\/style>\s*/, '')
    .replace(/^<svg([^>]*?) style="[^"]*"/, '<svg$1 aria-hidden="true"')
    .trim();
}
