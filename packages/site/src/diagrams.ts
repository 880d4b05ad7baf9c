import { createHash } from 'node:crypto';
import type { Sources } from './sources.ts';

const THEMES = {
  light: { bg: '#ffffff', fg: '#14171b', line: '#98a1ae', accent: '#2c62d6', muted: '#57606c' },
  dark: { bg: '#0d0f12', fg: '#e8eaed', line: '#7d8794', accent: '#7aa8ff', muted: '#98a1ae' },
} as const;

/** Returns the name of the picture of a diagram, which changes with the diagram. */
export function diagramName(source: string): string {
  return createHash('sha256').update(source.trim()).digest('hex').slice(0, 16);
}

/** Returns the sources of the diagrams on a page. */
export function diagramsIn(page: string): string[] {
  return [...page.matchAll(/^```mermaid\n([^]*?)^```$/gm)].map(([, source = '']) => source);
}

/** Returns the addresses of the pictures of a diagram, or undefined if it has not been drawn. */
export function diagramOf(source: string, { diagrams }: Sources) {
  const name = diagramName(source);
  return diagrams.has(name)
    ? { light: addressOf(name, 'light'), dark: addressOf(name, 'dark') }
    : undefined;
}

/** Returns the pictures in the colours of both themes, by address. */
export function diagramFiles({ diagrams }: Sources): [string, string][] {
  return [...diagrams].flatMap(([name, svg]) =>
    Object.entries(THEMES).map(([theme, colours]): [string, string] => {
      const style = Object.entries(colours).map(([key, colour]) => `--${key}:${colour}`);
      const drawn = svg.replace(/ style="[^"]*"/, ` style="${style.join(';')}"`);
      return [addressOf(name, theme), drawn];
    }),
  );
}

const addressOf = (name: string, theme: string): string => `/docs/assets/${name}-${theme}.svg`;
