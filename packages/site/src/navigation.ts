import { LINK } from './sources.ts';

type NavigationLink = { readonly title: string; readonly address: string };

export type NavigationSection = {
  readonly title: string;
  readonly links: readonly NavigationLink[];
};

/** Returns the navigation's sections: the sections of the first page, with all their links. */
export function navigationOf(firstPage: string): NavigationSection[] {
  const known = new Set<string>();
  return firstPage
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const links = [...lines.join('\n').matchAll(LINK)].flatMap(([, text = '', address = '']) => {
        if (known.has(address) || !address.startsWith('/docs')) return [];
        known.add(address);
        return [{ title: text.charAt(0).toUpperCase() + text.slice(1), address }];
      });
      return { title, links };
    });
}
