import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { usePageTitle } from '../../lib/use-page-title.ts';
import { useWords } from '../../lib/words.ts';
import { connection } from '../../market/venue.ts';
import { onDemand } from '../../ui/late.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useHotkey } from '../../ui/use-hotkey.ts';
import { EndingSoon } from './ending-soon.tsx';
import { EventsGrid } from './events-grid.tsx';
import { FirstVisitStrip } from './first-visit-strip.tsx';
import { PerpsTable } from './perps-table.tsx';
import { SeriesSection } from './series-section.tsx';

const FundingTable = onDemand(async () => (await import('./funding-table.tsx')).FundingTable);

/** Everything that trades here, side by side. */
export function Screen() {
  const t = useWords();
  const field = useRef<HTMLInputElement>(null);
  usePageTitle(t('nav.markets'));
  useHotkey('/', () => field.current?.focus());
  const navigate = useNavigate();
  const search: { readonly q?: unknown } = useSearch({ strict: false });
  const isAnswered = useIsAnswered();
  const wanted = typeof search.q === 'string' ? search.q : '';
  const setWanted = (q: string): void => {
    void navigate({ to: '/', search: q === '' ? {} : { q }, replace: true });
  };
  return (
    <div className="flex min-h-full flex-col">
      <h1 className="heard">{t('nav.markets')}</h1>
      <FirstVisitStrip />
      <div className="grid flex-1 desktop:grid-cols-[minmax(0,13fr)_minmax(0,10fr)]">
        <section className="min-w-0 border-line desktop:border-e" aria-labelledby="perps">
          <div className="flex h-12 items-center justify-between gap-4 border-b border-line px-4">
            <h2 id="perps" className="flex items-baseline gap-3 text-15 font-semibold">
              {t('markets.perps')}
              <span className="text-12 font-normal text-muted max-tablet:hidden">
                {t('markets.unit')}
              </span>
            </h2>
            <div className="w-56">
              <TextField
                ref={field}
                label={t('markets.search')}
                isLabelHidden
                type="search"
                placeholder={t('markets.search')}
                value={wanted}
                onChange={setWanted}
              />
            </div>
          </div>
          <PerpsTable wanted={wanted} />
          <div className={isAnswered ? undefined : 'hidden'}>
            <Funding wanted={wanted} />
            <Link
              to="/activity"
              className="flex h-9 items-center gap-2 px-4 text-12 text-muted hover:text-text"
            >
              <span aria-hidden="true">→</span>
              {t('markets.activity')}
            </Link>
            <SeriesSection wanted={wanted} />
            <EndingSoon wanted={wanted} />
          </div>
        </section>
        <div className={isAnswered ? 'contents' : 'contents max-desktop:hidden'}>
          <EventsGrid wanted={wanted} />
        </div>
      </div>
    </div>
  );
}

/** Rates of all perps, for who asks for them. */
function Funding({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex h-9 w-full items-center gap-2 px-4 text-12 text-muted hover:text-text"
      >
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        {t('markets.fundingAll')}
      </button>
      {isOpen && <FundingTable wanted={wanted} />}
    </>
  );
}

/** Nobody waits longer for what may never be answered: a question that fails is asked again and again. */
const ANSWERS_MS_MAX = 4_000;
const CALM_MS = 100;

/**
 * Whether every first question has its answer: what stands under something that has yet to come would be pushed away. Of
 * a venue that is gone nothing comes.
 */
function useIsAnswered(): boolean {
  const open = useIsFetching({ predicate: ({ state }) => state.dataUpdateCount === 0 });
  const [isAnswered, setIsAnswered] = useState(false);
  const isLost = useStore(connection, ({ status }) => status === 'lost');
  useEffect(() => {
    const late = setTimeout(() => setIsAnswered(true), ANSWERS_MS_MAX);
    return () => clearTimeout(late);
  }, []);
  useEffect(() => {
    if (open > 0) return undefined;
    // One answer may lead to the next question.
    const calm = setTimeout(() => setIsAnswered(true), CALM_MS);
    return () => clearTimeout(calm);
  }, [open]);
  return isAnswered || isLost;
}
