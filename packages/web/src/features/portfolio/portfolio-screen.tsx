import type { Portfolio as PortfolioAnswer, PortfolioPoint, PortfolioWindow } from '@oddlot/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type uPlot from 'uplot';
import { texts } from 'words:portfolio';
import { AccountTables } from '../../account-tables/account-tables.tsx';
import { usePageTitle } from '../../lib/browser.ts';
import { add, sign, toPixels } from '../../lib/decimal.ts';
import { compact, dateTime, dateTimeSecond, money } from '../../lib/format.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { ledgerLists } from '../../market/account-lists.ts';
import { accountStates } from '../../market/account.ts';
import { venueNow } from '../../market/venue.ts';
import { NoAccount } from '../../session/first-steps.tsx';
import { useIsSessionLoaded, useSession } from '../../session/session.ts';
import { Segmented } from '../../ui/controls.tsx';
import { Money, Stat } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { usePlot } from '../../ui/use-plot.ts';
import { Days } from './days.tsx';
import {
  beginningOf,
  sinceBegun,
  usePortfolio,
  withSteps,
  type CurvePoint,
} from './use-portfolio.ts';

addWords(texts);

const WINDOWS = ['day', 'week', 'month', 'all'] as const;
const CURVES = ['equity', 'pnl'] as const;
const EVERY_MS = 10_000;

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
  const kind = CURVES.find((each) => each === search['curve']) ?? 'equity';
  const look = (change: Record<string, string>): void => {
    void navigate({ to: '/portfolio', search: { ...search, ...change }, replace: true });
  };
  const ledger = ledgerLists.use(user, ({ rows }) => rows);
  const beginMs = beginningOf(ledger)?.time;
  const offered = useOfferedWindows(beginMs);
  const span = offered.find((each) => each === search['window']) ?? offered[1] ?? 'all';
  const { data, known, now } = usePortfolio(user, span, EVERY_MS);
  const sinceMs = known.sinceMs ?? (span === 'all' ? beginMs : undefined);
  const shown = useMemo(() => {
    // If more money was deposited than the ledger shows, the first row is not the beginning.
    const beginning = known.sinceMs === undefined ? beginningOf(ledger) : undefined;
    return withSteps(sinceBegun(known.points, beginning), ledger);
  }, [known, ledger]);
  // If the value has not changed, a straight line would look like a result.
  const hasResult = shown.length >= 2 && shown.some(({ pnl }) => sign(pnl) !== 0);
  return (
    <div className="flex min-h-full flex-col bg-panel desktop:h-full">
      <h1 className="visually-hidden">{t('nav.portfolio')}</h1>
      <Sums
        user={user}
        moved={known.sinceMs === undefined ? data : undefined}
        now={now}
        span={span === 'all' ? undefined : t(`portfolio.window.${span}`)}
        since={
          sinceMs === undefined ? undefined : t('portfolio.since', { time: dateTime(sinceMs) })
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
            <Segmented
              label={t('portfolio.time')}
              size="small"
              value={span}
              onChange={(next) => look({ window: next })}
              segments={WINDOWS.map((value) => ({
                value,
                label: t(`portfolio.window.${value}`),
                isDisabled: !offered.includes(value),
              }))}
            />
          </div>
          <div className="h-64">
            {hasResult ? (
              <Curve points={shown} kind={kind} />
            ) : (
              data !== undefined && <EmptyState title={t('portfolio.flat')} />
            )}
          </div>
        </section>
        <Days user={user} chosen={search['days']} onChoose={(days) => look({ days })} />
      </div>
      <div className="h-[75dvh] min-h-80 desktop:h-auto desktop:flex-1">
        <AccountTables user={user} chosen={search['tab']} onChoose={(tab) => look({ tab })} />
      </div>
    </div>
  );
}

const DAY_MS = 86_400_000;
const LENGTHS_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;

/** Returns the windows shorter than the account's history, and the window that covers all of it. */
function useOfferedWindows(beginMs: number | undefined): readonly PortfolioWindow[] {
  const [nowMs] = useState(venueNow);
  if (beginMs === undefined) return WINDOWS;
  return WINDOWS.filter((each) => each === 'all' || LENGTHS_MS[each] < nowMs - beginMs);
}

type SumsProps = {
  readonly user: string;
  readonly moved: Pick<PortfolioAnswer, 'deposits' | 'withdrawals'> | undefined;
  readonly now: PortfolioPoint | undefined;
  /** The window that all sums cover, or undefined for the whole history. */
  readonly span: string | undefined;
  /** The start of the sums, if it is later than the start of the window. */
  readonly since: string | undefined;
};

function Sums({ user, moved, now, since, span }: SumsProps) {
  const t = useWords();
  const value = (accountType: 'perp' | 'outcome') =>
    accountStates.use({ user, accountType }, ({ state }) => state?.marginSummary.accountValue);
  const [perp, outcome] = [value('perp'), value('outcome')];
  const equity = perp === undefined || outcome === undefined ? undefined : add(perp, outcome);
  const of = (name: 'volume' | 'fees' | 'funding' | 'deposits' | 'withdrawals'): string =>
    nameOf(t(`portfolio.${name}`), since === undefined ? span : undefined);
  const nameOf = (what: string, when: string | undefined): string =>
    when === undefined ? what : t('portfolio.ofSpan', { what, span: when });
  return (
    <dl className="grid shrink-0 grid-cols-3 gap-x-4 gap-y-3 border-b border-line px-4 py-3 tablet:flex tablet:flex-wrap tablet:gap-x-5 desktop:gap-x-10">
      <Stat unit="USDC" label={t('portfolio.equity')} isLarge>
        <Money value={equity} />
      </Stat>
      <Stat unit="USDC" label={nameOf(t('portfolio.pnl'), since ?? span)} isLarge>
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

type CurveKind = 'equity' | 'pnl';

const SPAN_MS_MIN = 10 * 60 * 1_000;
const YOUNG_MS_MIN = 60_000;
const LINES = [{ colour: 'var(--accent)', isFilled: true }] as const;

function Curve({ points, kind }: Readonly<{ points: readonly CurvePoint[]; kind: CurveKind }>) {
  const t = useWords();
  const [at, setAt] = useState<number | null>(null);
  const endMs = points.at(-1)?.time ?? 0;
  const ageMs = endMs - (points[0]?.time ?? endMs);
  const startMs = endMs - Math.min(SPAN_MS_MIN, Math.max(YOUNG_MS_MIN, 2 * ageMs));
  const isYoung = points.length > 0 && points[0]!.time > startMs;
  const data = useMemo(
    () => drawnOf(points, kind, isYoung ? startMs : undefined),
    [points, kind, isYoung, startMs],
  );
  const options = useMemo(
    () => ({ lines: LINES, bounds: spread, label: amountLabel, onPoint: setAt }),
    [],
  );
  const { hasFailed, target } = usePlot('curve', options, data);
  const shown = at === null ? undefined : points[at - (isYoung ? 1 : 0)];
  const last = points.at(-1);
  return (
    <div className="relative h-full min-h-0">
      <div
        ref={target}
        role="img"
        aria-label={t('portfolio.curveOf', {
          what: t(`portfolio.${kind}`),
          value: money(last && valueOf(last, kind)),
        })}
        className="absolute inset-0 overflow-hidden"
      />
      {hasFailed && (
        <p className="absolute inset-0 flex items-center justify-center text-12 text-muted">
          {t('portfolio.curveFailed')}
        </p>
      )}
      {shown !== undefined && (
        <p className="pointer-events-none absolute top-1 start-4 text-12 text-muted tabular-nums">
          {dateTimeSecond(shown.time)}{' '}
          <span className="text-text">
            {money(valueOf(shown, kind), { isSigned: kind === 'pnl' })}
          </span>
        </p>
      )}
    </div>
  );
}

function drawnOf(
  points: readonly CurvePoint[],
  kind: CurveKind,
  startMs: number | undefined,
): uPlot.AlignedData {
  const values = points.map((point) => toPixels(valueOf(point, kind)));
  const seconds = points.map(({ time }) => time / 1_000);
  if (startMs === undefined) return [seconds, values];
  return [
    [startMs / 1_000, ...seconds],
    [null, ...values],
  ];
}

function valueOf(point: CurvePoint, kind: CurveKind): string {
  return kind === 'equity' ? point.accountValue : point.pnl;
}

function spread(low: number, high: number): [number, number] {
  const room = high === low ? Math.max(1, Math.abs(high) * 0.02) : (high - low) * 0.12;
  return [low - room, high + room];
}

const SHORT_FROM = 1_000_000;

function amountLabel(value: number, step: number): string {
  if (Math.abs(value) >= SHORT_FROM) return compact(value.toFixed(0));
  const decimals = step >= 1 || step === 0 ? 0 : step >= 0.1 ? 1 : 2;
  return money(value.toFixed(decimals), { decimals });
}
