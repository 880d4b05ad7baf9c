import { useNavigate, useSearch } from '@tanstack/react-router';
import { usePageTitle } from '../../lib/use-page-title.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { texts } from 'words:activity';
import { Heading } from './heading.tsx';
import { LargestTrades } from './largest-trades.tsx';
import { Liquidations } from './liquidations.tsx';
import { OpenInterest } from './open-interest.tsx';

addWords(texts);

/** What can be known of all markets, whoever traded there. What is chosen is in the address. */
export function Screen() {
  const t = useWords();
  usePageTitle(t('activity.title'));
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const of = search['of'] === 'events' ? 'events' : 'perps';
  const look = (change: Record<string, string>): void => {
    void navigate({ to: '/activity', search: { ...search, ...change }, replace: true });
  };
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <Heading at="/activity" />
      <div className="grid flex-1 content-start desktop:grid-cols-[minmax(0,12fr)_minmax(0,8fr)]">
        <LargestTrades of={of} span={search['window']} onLook={look} />
        <div className="min-w-0 border-line desktop:border-s">
          <OpenInterest of={of} market={search['market']} onLook={look} />
          <Liquidations />
        </div>
      </div>
    </div>
  );
}
