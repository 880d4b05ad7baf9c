import type { Portfolio as PortfolioAnswer, PortfolioPoint } from '@oddlot/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type uPlot from 'uplot';
import { texts } from 'words:portfolio';
import { AccountTables } from '../../account-tables/account-tables.tsx';
import { csvOf, saveFile, usePageTitle } from '../../lib/browser.ts';
import { add, subtract, toPixels } from '../../lib/decimal.ts';
import { compact, dateTime, dateTimeSecond, dayOf, money } from '../../lib/format.ts';
import { addWords, useWords, type Words } from '../../lib/words.ts';
import { ledgerLists } from '../../market/account-lists.ts';
import { accountStates } from '../../market/account.ts';
import { NoAccount } from '../../session/first-steps.tsx';
import { useIsSessionLoaded, useSession } from '../../session/session.ts';
import { Segmented } from '../../ui/controls.tsx';
import { Money, Stat } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { usePlot } from '../../ui/use-plot.ts';
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
  const span = WINDOWS.find((each) => each === search['window']) ?? 'week';
  const kind = CURVES.find((each) => each === search['curve']) ?? 'equity';
  const look = (change: Record<string, string>): void => {
    void navigate({ to: '/portfolio', search: { ...search, ...change }, replace: true });
  };
  const { data, known, now } = usePortfolio(user, span, EVERY_MS);
  const ledger = ledgerLists.use(user, ({ rows }) => rows);
  const shown = useMemo(() => {
    // The first row is not the beginning if more money was deposited than the ledger shows.
    const beginning = known.sinceMs === undefined ? beginningOf(ledger) : undefined;
    return withSteps(sinceBegun(known.points, beginning), ledger);
  }, [known, ledger]);
  return (
    <div className="flex min-h-full flex-col bg-panel desktop:h-full">
      <h1 className="heard">{t('nav.portfolio')}</h1>
      <Sums
        user={user}
        moved={known.sinceMs === undefined ? data : undefined}
        now={now}
        span={
          known.sinceMs === undefined
            ? t(`portfolio.window.${span}`)
            : t('portfolio.since', { time: dateTime(known.sinceMs) })
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
              segments={WINDOWS.map((value) => ({ value, label: t(`portfolio.window.${value}`) }))}
            />
          </div>
          <div className="h-64">
            {data !== undefined && shown.length < 2 && <EmptyState title={t('portfolio.flat')} />}
            {shown.length >= 2 && <Curve points={shown} kind={kind} />}
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

type SumsProps = {
  readonly user: string;
  readonly moved: Pick<PortfolioAnswer, 'deposits' | 'withdrawals'> | undefined;
  readonly now: PortfolioPoint | undefined;
  readonly span: string;
};

function Sums({ user, moved, now, span }: SumsProps) {
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

const DAYS_EVERY_MS = 60_000;

export function Days({ user }: { readonly user: string }) {
  const t = useWords();
  const { data, known, now, points } = usePortfolio(user, 'month', DAYS_EVERY_MS);
  const days = useMemo(() => byDay(points).filter(isEventful), [points]);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <section
      aria-labelledby="days"
      className="flex min-w-0 flex-col border-line max-desktop:max-h-80 max-desktop:border-t desktop:h-[292px] desktop:border-s"
    >
      <div className="flex h-9 shrink-0 items-center border-b border-line px-4">
        <h2 id="days" className="text-13 font-medium">
          {t('portfolio.byDay')}
        </h2>
        {days.length > 0 && (
          <p className="ms-4 text-12 text-muted" title={t('portfolio.daysSumTitle')}>
            {known.sinceMs === undefined
              ? t('portfolio.daysSum')
              : t('portfolio.daysSumSince', { time: dateTime(known.sinceMs) })}{' '}
            <Money value={now?.pnl} isSigned isColoured />
          </p>
        )}
        <button
          type="button"
          aria-label={t('portfolio.csvOf', { name: t('portfolio.byDay') })}
          className="-my-2 ms-auto py-2 text-12 text-muted hover:text-text"
          onClick={() => saveFile('days.csv', csvOf(days.map(withDate)))}
        >
          {t('portfolio.csv')}
        </button>
      </div>
      <Table
        label={t('portfolio.byDay')}
        columns={columns}
        rows={days}
        rowKey={({ time }) => time}
        empty={
          data !== undefined && (
            <EmptyState title={t('portfolio.noDays')} text={t('portfolio.noDaysText')} />
          )
        }
      />
    </section>
  );
}

function withDate({ time, ...rest }: Day): object {
  return { day: new Date(time).toISOString().slice(0, 10), ...rest };
}

function columnsOf(t: Words): readonly Column<Day>[] {
  const amount = (name: 'volume' | 'fees'): Column<Day> => ({
    id: name,
    header: t(`portfolio.${name}`),
    align: 'right',
    cell: (day) => <Money value={day[name]} />,
  });
  return [
    {
      id: 'day',
      header: t('portfolio.day'),
      width: '96px',
      tabletWidth: 'auto',
      phoneWidth: '84px',
      cell: ({ time }) => <span className="text-muted">{dayOf(time)}</span>,
    },
    {
      id: 'pnl',
      header: t('portfolio.pnl'),
      align: 'right',
      tabletWidth: '120px',
      cell: ({ pnl }) => <Money value={pnl} isSigned isColoured />,
    },
    { ...amount('volume'), tabletWidth: '140px' },
    { ...amount('fees'), width: '72px', phoneWidth: '64px' },
    {
      id: 'value',
      header: t('portfolio.value'),
      align: 'right',
      width: '112px',
      from: 'tablet',
      cell: ({ value }) => <Money value={value} />,
    },
  ];
}

type Day = {
  readonly time: number;
  readonly pnl: string;
  readonly volume: string;
  readonly fees: string;
  readonly funding: string;
  readonly value: string;
};

const DAY_MS = 24 * 60 * 60 * 1_000;
const SUMS = ['pnl', 'volume', 'fees', 'funding'] as const;

/** Returns the days of a portfolio, newest first. */
export function byDay(points: readonly PortfolioPoint[]): readonly Day[] {
  const days: Day[] = [];
  let start = points[0];
  let last = start;
  if (start === undefined || last === undefined) return [];
  const close = (from: PortfolioPoint, to: PortfolioPoint): void => {
    const [pnl, volume, fees, funding] = SUMS.map((name) => subtract(to[name], from[name]));
    days.unshift({
      time: Math.floor(from.time / DAY_MS) * DAY_MS,
      pnl: pnl!,
      volume: volume!,
      fees: fees!,
      funding: funding!,
      value: to.accountValue,
    });
  };
  for (const point of points.slice(1)) {
    last = point;
    if (Math.floor(point.time / DAY_MS) === Math.floor(start.time / DAY_MS)) continue;
    close(start, point);
    start = point;
  }
  if (last !== start) close(start, last);
  return days;
}

export function isEventful(day: Day): boolean {
  return day.value !== '0' || SUMS.some((name) => day[name] !== '0');
}
