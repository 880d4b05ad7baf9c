import type { Options } from 'minisearch';

/** A section of a page, as stored in the search index. */
export type Section = {
  readonly id: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  readonly excerpt: string;
};

/** Options shared by the index and the search in the browser. */
export const SEARCH_OPTIONS: Options<Section> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'excerpt'],
  searchOptions: {
    boost: { title: 4, heading: 3 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: 'AND',
  },
};
