export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A document in a sample: a request, a response or a frame. */
export type Part = { readonly label: string; readonly value: Json };

/** Matches a sample on a reference page, with its name and its parts. */
export const SAMPLE = /<!-- sample: (\S+) -->\n([^]*?)<!-- \/sample -->/g;

/** Returns a page's samples by name. */
export function samplesOf(page: string): ReadonlyMap<string, readonly Part[]> {
  return new Map(
    [...page.matchAll(SAMPLE)].map(([, name = '', text = '']) => [
      name,
      [...text.matchAll(/^(.+):\n\n```json\n([^]*?)\n```$/gm)].map(([, label = '', json = '']) => ({
        label,
        value: JSON.parse(json) as Json,
      })),
    ]),
  );
}
