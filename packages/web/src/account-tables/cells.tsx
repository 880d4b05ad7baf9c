import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { decimalsOf, isDecimal } from '../lib/decimal.ts';
import { cents, dateTimeSecond, number } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { OnGrid, SizeOnGrid, Time, timeColumn } from '../market/cells.tsx';
import { reader } from '../market/venue.ts';
import { useSession } from '../session/session.ts';
import { StackedTitle } from '../ui/figures.tsx';
import { notify } from '../ui/overlays.tsx';
import { EmptyState, LoadingRows } from '../ui/states.tsx';
import { useIsWide } from '../ui/styles.ts';
import type { Column } from '../ui/table.tsx';

export type Shown = { readonly user: string; readonly only?: 'perps' | 'outcome' | undefined };

type TableName =
  | 'positions'
  | 'shares'
  | 'orders'
  | 'triggers'
  | 'fills'
  | 'history'
  | 'funding'
  | 'ledger'
  | 'settlements';

const SOURCES = {
  positions: '/',
  shares: '/events',
  orders: '/',
  triggers: '/',
  fills: '/',
  history: '/',
  funding: '/',
  ledger: '/account',
  settlements: '/events',
} as const satisfies Record<TableName, string>;

type NothingProps = { readonly name: TableName; readonly isLoaded: boolean; readonly user: string };

export function Nothing({ name, isLoaded, user }: NothingProps) {
  const t = useWords();
  const session = useSession();
  const isOwn = session?.address === user && session.kind !== 'spectator';
  if (!isLoaded) return <LoadingRows />;
  const source = SOURCES[name];
  return (
    <EmptyState
      title={t(`portfolio.empty.${name}`)}
      text={isOwn ? t(`portfolio.emptyText.${name}`) : undefined}
      action={
        isOwn && (
          <Link to={source as '/'} className="text-13 text-accent hover:underline">
            {t(`portfolio.source.${source}`)}
          </Link>
        )
      }
    />
  );
}

const PHONE_TIME = '60px';

export function minuteColumn<Row>(of: (row: Row) => number, t: Words): Column<Row> {
  return timeColumn(t('portfolio.time'), of, { phoneWidth: PHONE_TIME });
}

export function secondColumn<Row>(
  of: (row: Row) => number,
  t: Words,
  led: (row: Row, time: ReactNode) => ReactNode = (_, time) => time,
): Column<Row> {
  return timeColumn(t('portfolio.time'), of, {
    width: '132px',
    phoneWidth: PHONE_TIME,
    cell: (row) => led(row, <Time ms={of(row)} write={dateTimeSecond} />),
  });
}

type Traded = {
  readonly symbol: string;
  readonly slug?: string | undefined;
  readonly title?: string | undefined;
  readonly isOutcome: boolean;
  readonly isStacked?: boolean | undefined;
};

export const STACKED_ROW_PX = 44;

export function Market({ symbol, slug, title, isOutcome, isStacked }: Traded) {
  const name = title ?? symbol;
  if (isOutcome) return <Event slug={slug} name={name} isStacked={isStacked} />;
  return (
    <Link to={`/trade/${symbol}` as '/'} search={sameTab} className="hover:underline">
      {name}
    </Link>
  );
}

function Event({
  slug,
  name,
  isStacked = false,
}: Pick<Traded, 'slug' | 'isStacked'> & { readonly name: string }) {
  const isWide = useIsWide();
  const shown = isStacked || !isWide ? <StackedTitle title={name} /> : name;
  return slug === undefined ? (
    <span title={name}>{shown}</span>
  ) : (
    <a href={`/events/${slug}`} title={name} className="hover:underline">
      {shown}
    </a>
  );
}

function sameTab({ tab }: { readonly tab?: unknown }): object {
  return tab === undefined ? {} : { tab };
}

export function Sided({ isBuy, children }: Readonly<{ isBuy: boolean; children: ReactNode }>) {
  return <span className={isBuy ? 'text-buy' : 'text-sell'}>{children}</span>;
}

/**
 * Translates the direction that the venue reports for an order or fill, such as `Buy` or `Sell
 * Yes`.
 */
export function directionWord(dir: string, t: Words): string {
  const [way = '', ...leg] = dir.split(' ');
  if (way !== 'Buy' && way !== 'Sell') return dir;
  return [t(way === 'Buy' ? 'portfolio.buy' : 'portfolio.sell'), ...leg].join(' ');
}

export function numberColumn<Row>(
  id: string,
  header: ReactNode,
  cell: (row: Row) => ReactNode,
  rest: Partial<Column<Row>> = {},
): Column<Row> {
  return { id, header, cell, align: 'right', ...rest };
}

/** An outcome market has a single book in YES prices, so buying NO is a sell (side A). */
export function isBought({
  outcome,
  side,
}: Readonly<{ side: 'A' | 'B'; outcome?: 'Yes' | 'No' | null | undefined }>): boolean {
  return (side === 'B') === (outcome !== 'No');
}

const LOOKS =
  'rounded underline decoration-faint decoration-dotted underline-offset-4 hover:text-text';

export function OriginLink({ hash, children }: Readonly<{ hash: string; children: ReactNode }>) {
  const t = useWords();
  return (
    <Link to={`/explorer/tx/${hash}` as '/'} className={LOOKS}>
      <span className="visually-hidden">{t('origin.label')} </span>
      {children}
    </Link>
  );
}

export function BlockLink({ height }: { readonly height: number }) {
  return (
    <Link to={`/explorer/block/${height}` as '/'} className={LOOKS}>
      {number(String(height))}
    </Link>
  );
}

type Placed = { readonly oid: number; readonly timestamp: number };

type OrderOriginProps = Readonly<{ user: string; order: Placed; children: ReactNode }>;

/**
 * Finds the request that placed an order. An order does not name its request, so the requests made
 * at that time are searched.
 */
export function OrderOrigin({ user, order, children }: OrderOriginProps) {
  const t = useWords();
  const navigate = useNavigate();
  const [isBusy, setIsBusy] = useState(false);
  const find = async (): Promise<void> => {
    setIsBusy(true);
    const hash = await requestOf(user, order).catch(() => undefined);
    setIsBusy(false);
    if (hash === undefined) notify({ title: t('origin.unknown'), tone: 'warning' });
    else await navigate({ to: `/explorer/tx/${hash}` as '/' });
  };
  return (
    <button type="button" className={LOOKS} disabled={isBusy} onClick={() => void find()}>
      <span className="visually-hidden">{t('origin.label')} </span>
      {children}
    </button>
  );
}

const LOOKED_AT = 20;

async function requestOf(user: string, { oid, timestamp }: Placed): Promise<string | undefined> {
  const span = { startTime: timestamp, endTime: timestamp };
  const sent = await reader.info.txs({ user, ...span, limit: LOOKED_AT });
  const placing = sent.filter(({ action }) => action.type === 'order');
  if (placing.length === 1) return placing[0]?.hash;
  for (const { hash } of placing) {
    const { result } = await reader.info.tx({ txHash: hash });
    if (result.orders?.some((each) => each.oid === oid) === true) return hash;
  }
  // Orders from reversals and take-profits are placed by other kinds of requests.
  return placing[0]?.hash ?? sent[0]?.hash;
}

type FillCellsTraded = { readonly marketType: 'perps' | 'outcome'; readonly instrumentId: number };

const TICK_DECIMALS = 3;

type TradedPriceProps = Readonly<{ of: FillCellsTraded; value: string; isAsReported?: boolean }>;

export function TradedPrice({ of, value, isAsReported = false }: TradedPriceProps) {
  if (of.marketType === 'outcome') {
    // An average can have more decimals than the tick.
    const decimals = isDecimal(value) ? Math.max(TICK_DECIMALS, decimalsOf(value)) : undefined;
    return <span>{isAsReported ? number(value) : cents(value, decimals)}</span>;
  }
  return <OnGrid coin={String(of.instrumentId)} value={value} />;
}

type TradedSizeProps = Readonly<{ of: FillCellsTraded; value: string; isSigned?: boolean }>;

export function TradedSize({ of, value, isSigned = false }: TradedSizeProps) {
  if (of.marketType === 'outcome') return <span>{number(value, { isSigned })}</span>;
  return <SizeOnGrid coin={String(of.instrumentId)} value={value} isSigned={isSigned} />;
}
