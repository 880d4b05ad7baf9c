import type { OutcomeEventMeta } from '@oddlot/sdk';
import { useState } from 'react';

/** Outlines on a 24-unit grid, one for each kind of event. */
const OUTLINES = {
  crypto:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.5 8h4a2 2 0 0 1 0 4h-4zm0 4h4.5a2 2 0 0 1 0 4H9.5zM11 6v2m2-2v2m-2 8v2m2-2v2',
  weather:
    'M7 18h10a4 4 0 0 0 .5-7.97A6 6 0 0 0 6 9.5 4.3 4.3 0 0 0 7 18M9 20.5l.5-1m3 1 .5-1m3 1 .5-1',
  sports:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8l3.8 2.8-1.5 4.4H9.7l-1.5-4.4zM12 3v5m8.6 1-4.8 1.8M17.3 19.3l-3-4.1M6.7 19.3l3-4.1M3.4 9l4.8 1.8',
  politics: 'M4 20h16M5 17h14M6.5 17v-7m4 7v-7m3 0v7m4-7v7M3.5 10h17L12 4z',
  economy: 'M4 4v16h16M7.5 15l3.5-4 3 2.5L19 8m-3.5 0H19v3.5',
  other:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.5 9.5a2.5 2.5 0 1 1 3.7 2.2c-.8.5-1.2 1-1.2 2m0 2.8v.2',
} as const;
type Kind = keyof typeof OUTLINES;

/** Words in categories and tags that identify each kind, in the order they are checked. */
const WORDS: readonly (readonly [Kind, RegExp])[] = [
  ['crypto', /crypto|bitcoin|\bbtc\b|\beth\b/i],
  ['weather', /weather|climate|nature|sea/i],
  ['sports', /sport|football|basketball|tennis|league/i],
  ['politics', /politic|election|government/i],
  ['economy', /econom|finance|rates|market/i],
];

const COLOURS = 6;

type Pictured = Pick<OutcomeEventMeta, 'category' | 'icon' | 'image' | 'slug' | 'tags'>;

/**
 * Shows the picture of an event. If there is none, or if it is on another host, which the page's
 * content security policy forbids, the outline for the event's kind is drawn.
 */
export function EventPicture({ event }: { readonly event: Pictured }) {
  const [hasFailed, setHasFailed] = useState(false);
  const source = [event.icon, event.image].find(isOwn);
  if (typeof source === 'string' && !hasFailed) {
    return (
      <img
        src={source}
        alt=""
        loading="lazy"
        width={40}
        height={40}
        onError={() => setHasFailed(true)}
        className="size-10 shrink-0 rounded object-cover"
      />
    );
  }
  const colour = `var(--plot-${(sumOf(event.slug) % COLOURS) + 1})`;
  return (
    <span
      aria-hidden="true"
      style={{ color: colour }}
      className="flex size-10 shrink-0 items-center justify-center rounded bg-raised"
    >
      <svg viewBox="0 0 24 24" className="size-6" fill="none" stroke="currentColor">
        <path d={OUTLINES[kindOf(event)]} strokeWidth="1.5" strokeLinejoin="round" />
      </svg>
    </span>
  );
}

function isOwn(source: string | null): boolean {
  if (source === null) return false;
  if (source.startsWith('data:image/')) return true;
  const { origin } = globalThis.location;
  return URL.canParse(source, origin) && new URL(source, origin).origin === origin;
}

function kindOf({ category, tags }: Pick<Pictured, 'category' | 'tags'>): Kind {
  for (const text of [category, ...tags]) {
    const known = WORDS.find(([, words]) => words.test(text));
    if (known !== undefined) return known[0];
  }
  return 'other';
}

/**
 * Adds up the letters of a slug, leaving out its digits, so that all rounds of an event look alike.
 */
function sumOf(slug: string): number {
  return [...slug.replaceAll(/\d/g, '')].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
}
