import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Portfolio as PortfolioAnswer, PortfolioPoint } from '@oddlot/sdk';
import { useMemo } from 'react';
import { add } from '../../lib/decimal.ts';
import { dateTime } from '../../lib/time.ts';
import { usePageTitle } from '../../lib/screen.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { accountStates } from '../../market/account.ts';
import { ledgerLists } from '../../market/account-lists.ts';
import { NoAccount } from '../../session/first-steps.tsx';
import { useIsSessionLoaded, useSession } from '../../session/session.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/figure.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Stat } from '../../ui/stat.tsx';
import { usePastPrices, type PastPrice } from '../../market/past-prices.ts';
import {
  beginningOf,
  type CurvePoint,
  sinceBegun,
  usePortfolio,
  withSteps,
} from './use-portfolio.ts';
import { type Beside, besideOf, Curve, isFlat } from './curve.tsx';
import { Days } from './days.tsx';
import { AccountTables } from '../../account-tables/account-tables.tsx';
import { texts } from 'words:portfolio';

addWords(texts);

const WINDOWS = ['day', 'week', 'month', 'all'] as const;
const CURVES = ['equity', 'pnl'] as const;
const EVERY_MS = 10_000;
/** What a young curve stands beside, where the venue has a made-up past of it. */
const BESIDE = 'BTC';
const WEEK_MS = 7 * 86_400_000;

/** What the account is worth, how it came there, and all that it has and did. */
export function Screen() {
  const t = useWords();
  usePageTitle(t('nav.portfolio'));
  const session = useSession();
  const isLoaded = useIsSessionLoaded();
  if (!isLoaded) return null;
  if (session === undefined) return <NoAccount title={t('portfolio.none')} />;
  return <Portfolio user={session.address} />;
}

function Portfolio({ user }: { readonly user: string }) {
  const t = useWords();
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const span = WINDOWS.find((each) => each === search['window']) ?? 'week';
  const kind = CURVES.find((each) => each === search['curve']) ?? 'equity';
  const look = (change: Record<string, string>): void => {
    void navigate({ to: '/portfolio', search: { ...search, ...change }, replace: true });
  };
  const { data, kept, now } = usePortfolio(user, span, EVERY_MS);
  const ledger = ledgerLists.use(user, ({ rows }) => rows);
  const shown = useMemo(() => {
    // Its first row is not where the account began when more came in than it has.
    const beginning = kept.sinceMs === undefined ? beginningOf(ledger) : undefined;
    return withSteps(sinceBegun(kept.points, beginning), ledger);
  }, [kept, ledger]);
  const { beside, isBeside, past } = useBeside(shown, { kind, span, chosen: search['beside'] });
  return (
    <div className="flex min-h-full flex-col bg-panel desktop:h-full">
      <h1 className="heard">{t('nav.portfolio')}</h1>
      <Sums
        user={user}
        // What came and went since then is in no sum of the venue.
        moved={kept.sinceMs === undefined ? data : undefined}
        now={now}
        span={
          kept.sinceMs === undefined
            ? t(`portfolio.window.${span}`)
            : t('portfolio.since', { time: dateTime(kept.sinceMs) })
        }
      />
      <div className="grid shrink-0 border-b border-line desktop:grid-cols-[minmax(0,1fr)_460px]">
        <section aria-label={t('portfolio.curve')} className="flex min-w-0 flex-col">
          <div className="flex h-9 items-center justify-between border-b border-line px-4">
            <Segmented
              label={t('portfolio.curve')}
              size="small"
              value={kind}
              onChange={(curve) => look({ curve })}
              segments={CURVES.map((value) => ({ value, label: t(`portfolio.${value}`) }))}
            />
            {past.length > 0 && <BesideButton isOn={isBeside} onChange={look} />}
            <Segmented
              label={t('portfolio.time')}
              size="small"
              value={span}
              onChange={(next) => look({ window: next })}
              segments={WINDOWS.map((value) => ({ value, label: t(`portfolio.window.${value}`) }))}
            />
          </div>
          <div className="h-64">
            {data !== undefined && shown.length < 2 && <EmptyState title={t('portfolio.flat')} />}
            {shown.length >= 2 && <Curve points={shown} kind={kind} beside={beside} />}
          </div>
        </section>
        <Days user={user} />
      </div>
      <div className="h-[75dvh] min-h-80 desktop:h-auto desktop:flex-1">
        <AccountTables user={user} chosen={search['tab']} onChoose={(tab) => look({ tab })} />
      </div>
    </div>
  );
}

function BesideButton({
  isOn,
  onChange,
}: {
  readonly isOn: boolean;
  readonly onChange: (change: Record<string, string>) => void;
}) {
  const t = useWords();
  return (
    <button
      type="button"
      aria-pressed={isOn}
      title={t('portfolio.besideTitle', { symbol: BESIDE })}
      onClick={() => onChange({ beside: isOn ? 'no' : 'yes' })}
      className="ms-2 me-auto h-6 min-w-0 truncate rounded px-2 text-12 text-muted hover:text-text aria-pressed:bg-raised aria-pressed:text-text"
    >
      {t('portfolio.beside', { symbol: BESIDE })}
    </button>
  );
}

/** Beside what the curve stands: by itself while it is flat, else when somebody asks for it. */
function useBeside(
  points: readonly CurvePoint[],
  {
    chosen,
    kind,
    span,
  }: {
    readonly kind: (typeof CURVES)[number];
    readonly span: (typeof WINDOWS)[number];
    readonly chosen: unknown;
  },
): { readonly beside: Beside; readonly isBeside: boolean; readonly past: readonly PastPrice[] } {
  const past = usePastPrices(BESIDE, span === 'day' ? 'day' : 'week');
  const isBeside = chosen === 'yes' || (chosen !== 'no' && isFlat(points));
  const beside = useMemo(() => {
    const startMs = (points.at(-1)?.time ?? 0) - (span === 'day' ? WEEK_MS / 7 : WEEK_MS);
    return isBeside ? besideOf(past, points[0], kind, startMs) : [];
  }, [isBeside, kind, past, points, span]);
  return { beside, isBeside: isBeside && beside.length > 0, past };
}

function Sums({
  user,
  moved,
  now,
  span,
}: {
  readonly user: string;
  readonly moved: Pick<PortfolioAnswer, 'deposits' | 'withdrawals'> | undefined;
  /** The window up to this moment. */
  readonly now: PortfolioPoint | undefined;
  /** What all but the equity is of, in words. */
  readonly span: string;
}) {
  const t = useWords();
  const value = (accountType: 'perp' | 'outcome') =>
    accountStates.use({ user, accountType }, ({ state }) => state?.marginSummary.accountValue);
  const [perp, outcome] = [value('perp'), value('outcome')];
  const equity = perp === undefined || outcome === undefined ? undefined : add(perp, outcome);
  const of = (name: 'pnl' | 'volume' | 'fees' | 'funding' | 'deposits' | 'withdrawals'): string =>
    t('portfolio.ofSpan', { what: t(`portfolio.${name}`), span });
  return (
    <dl className="grid shrink-0 grid-cols-3 gap-x-4 gap-y-3 border-b border-line px-4 py-3 tablet:flex tablet:flex-wrap tablet:gap-x-5 desktop:gap-x-10">
      <Stat unit="USDC" label={t('portfolio.equity')} isLarge>
        <Money value={equity} />
      </Stat>
      <Stat unit="USDC" label={of('pnl')} isLarge>
        <Money value={now?.pnl} isSigned isColoured />
      </Stat>
      <Stat unit="USDC" label={of('volume')}>
        <Money value={now?.volume} />
      </Stat>
      <Stat unit="USDC" label={of('fees')}>
        <Money value={now?.fees} />
      </Stat>
      <Stat unit="USDC" label={of('funding')}>
        <Money value={now?.funding} isSigned />
      </Stat>
      <Stat unit="USDC" label={of('deposits')}>
        <Money value={moved?.deposits} />
      </Stat>
      <Stat unit="USDC" label={of('withdrawals')}>
        <Money value={moved?.withdrawals} />
      </Stat>
    </dl>
  );
}
