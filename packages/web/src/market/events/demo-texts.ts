import type { OutcomeEventMeta } from '@oddlot/sdk';
import { texts } from 'words:demo';
import { words } from '../../lib/words.ts';

/**
 * The venue lists its demo events and series with English texts. The page recognizes the texts and
 * shows them in its own language. Events of other deployers keep their texts.
 */

type Key = Parameters<typeof words.t>[0];

const GAP = /\{\{(\w+)\}\}/g;

/** The longest texts come first, because a shorter text can be the beginning of a longer one. */
const SENTENCES = Object.entries(
  (texts as { readonly demo: Readonly<Record<string, string>> }).demo,
)
  .toSorted(([, a], [, b]) => b.replaceAll(GAP, '').length - a.replaceAll(GAP, '').length)
  .map(([name, text]) => ({ key: `demo.${name}` as Key, pattern: patternOf(text) }));

/** Matches the slugs of demo events, which end with the start time of the round, and of series. */
const ROUND = /^demo-(?:city-weather|rate-cut|grand-prix|coin|election)-\d+$/;
const SERIES = /^(?:btc|eth)-up-or-down-(?:15m|1h)$/;
const TAG = 'exhibition';

export function translated(event: OutcomeEventMeta): OutcomeEventMeta {
  const { description, markets, series_slug: series, slug, tags, title } = event;
  const isOwn = series === null ? ROUND.test(slug) && tags.includes(TAG) : SERIES.test(series);
  if (!isOwn) return event;
  return {
    ...event,
    title: textOf(title),
    description: textOf(description),
    markets: markets.map((market) => ({
      ...market,
      question: textOf(market.question),
      group_title: market.group_title === null ? null : textOf(market.group_title),
      description: textOf(market.description),
      resolution_source: textOf(market.resolution_source),
      outcomes: [textOf(market.outcomes[0]), textOf(market.outcomes[1])],
    })),
  };
}

export function seriesTitle(seriesSlug: string, title: string): string {
  return SERIES.test(seriesSlug) ? textOf(title) : title;
}

/** Translates a text that consists of known sentences, and returns any other text unchanged. */
function textOf(text: string): string {
  const found: string[] = [];
  for (let rest = text; rest !== '';) {
    const known = SENTENCES.find(({ pattern }) => pattern.test(rest));
    const match = known?.pattern.exec(rest);
    if (known === undefined || !match) return text;
    found.push(words.t(known.key, match.groups));
    rest = rest.slice(match[0].length).trimStart();
  }
  return found.join(' ');
}

function patternOf(text: string): RegExp {
  const escaped = text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(GAP, '(?<$1>.+?)')}(?= |$)`);
}
