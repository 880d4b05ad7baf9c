/** A catalogue, or a part of one. */
type Texts = { readonly [name: string]: string | Texts };

/** Everything up to the next mark is written from right to left. */
const TURNED = '\u202E';
const AS_BEFORE = '\u202C';

/**
 * A language that nobody speaks: English, written from right to left. It shows which texts come from nowhere, and what
 * a layout does when it is mirrored, to people who read no such script. What stands in gaps keeps its direction.
 */
export function mirroredTexts(texts: Texts): Texts {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      typeof text === 'string' ? mirrored(text) : mirroredTexts(text),
    ]),
  );
}

function mirrored(text: string): string {
  return text
    .split(/(\{\{\w+\}\})/)
    .map((part) => (part === '' || part.startsWith('{{') ? part : `${TURNED}${part}${AS_BEFORE}`))
    .join('');
}
