import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { usePageTitle } from '../../lib/screen.ts';
import { useWords } from '../../lib/words.ts';
import { connection } from '../../market/venue.ts';
import { onDemand } from '../../ui/late.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useHotkey } from '../../ui/keyboard.tsx';
import { EndingSoon, Section } from './event-lists.tsx';
import { EventsGrid } from './events-grid.tsx';
import { PerpsTable } from './perps-table.tsx';
import { money } from '../../lib/format.ts';
import { useSettings } from '../../market/queries.ts';
import { FirstSteps, firstVisit, openTestAccount } from '../../session/first-steps.tsx';
import { hadAccount, useIsSessionLoaded, useSession } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { isLike } from '../../lib/typed-text.ts';
import { useOutcomeTickers } from '../../market/tickers.ts';
import { SeriesCards } from '../../market/series/series-cards.tsx';
import { useRunningSeries } from '../../market/series/use-running-series.ts';
import { useVenueSecond } from '../../market/time-column.tsx';

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

/** For who has no account yet: one button, and the three steps while they happen. */
export function FirstVisitStrip() {
  const t = useWords();
  const session = useSession();
  const isLoaded = useIsSessionLoaded();
  const { at, error } = useStore(firstVisit);
  const { data: settings } = useSettings();
  // Who comes back to this screen has read it.
  useEffect(
    () => () => {
      if (firstVisit.getState().at === 'done') firstVisit.setState({ at: 'idle' });
    },
    [],
  );
  const isUnderWay = at !== 'idle' && at !== 'done';
  const isNew = session === undefined || at !== 'idle';
  // Who was nobody last time is shown the strip at once: nothing is pushed down by it later.
  if (!isNew || (!isLoaded && hadAccount())) return null;
  // Before the venue has said so: nearly every one has a faucet, and nothing moves when it has.
  const hasFaucet = settings?.faucet_amount !== null;
  const amount = settings === undefined ? '…' : money(settings.faucet_amount, { decimals: 0 });
  const isDone = at === 'done';
  return (
    <section
      aria-label={t('first.title')}
      className="flex min-h-16 flex-wrap items-center gap-x-6 gap-y-2 border-b border-line bg-accent/6 px-4 py-3"
    >
      <div className="min-w-60 flex-1">
        <p className="text-15 font-semibold">{isDone ? t('first.done') : t('first.title')}</p>
        {at === 'idle' ? (
          <p className="text-13 text-muted">
            {hasFaucet ? t('first.text', { amount }) : t('first.textNoFaucet')}
          </p>
        ) : (
          <FirstSteps isInLine />
        )}
      </div>
      {isDone && (
        <Link to="/trade/BTC-USDC" className="text-13 font-medium text-accent hover:underline">
          {t('first.toTrade', { market: 'BTC-USDC' })}
        </Link>
      )}
      {hasFaucet && !isDone && (
        <span className="max-tablet:flex max-tablet:w-full max-tablet:flex-col">
          <Button
            kind="accent"
            size="large"
            disabled={settings === undefined || !isLoaded}
            isBusy={isUnderWay && error === undefined}
            onClick={() => void openTestAccount()}
          >
            {t('first.button')}
          </Button>
        </span>
      )}
    </section>
  );
}

/** What comes round by itself: up or down, every quarter and every hour. */
export function SeriesSection({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const series = useRunningSeries(nowMs).filter(({ event }) => isLike(event.title, wanted));
  const byId = useOutcomeTickers(series.map(({ market }) => market));
  if (series.length === 0) return null;
  return (
    <Section id="series" title={t('markets.recurring')}>
      <ul className="grid gap-px bg-line tablet:grid-cols-2">
        <SeriesCards series={series} byId={byId} nowMs={nowMs} />
        {series.length % 2 === 1 && (
          <li aria-hidden="true" className="bg-panel max-tablet:hidden" />
        )}
      </ul>
    </Section>
  );
}
