import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Ticker } from '@oddlot/sdk';
import { isDecimal, sign, toPixels } from '../../lib/decimal.ts';
import { compact, hourlyRate } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { priceDecimals } from '../../market/on-grid.tsx';
import { changeOf, openInterestOf, type PerpRow, usePerpRows } from '../../market/perp-rows.ts';
import { isAgainstPast, type Trend } from '../../market/past-prices.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState, Skeleton } from '../../ui/empty-state.tsx';
import { Percent, Price } from '../../ui/figure.tsx';
import { byDecimal, type Column, Table } from '../../ui/table.tsx';
import { Spark } from '../../ui/spark.tsx';

const ROW_PX = 48;

export function PerpsTable({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const navigate = useNavigate();
  const { hasAny, isLoaded, rows } = usePerpRows(wanted);
  const columns = useMemo(() => columnsOf(t), [t]);
  if (!isLoaded) return <Loading />;
  const empty = hasAny ? (
    <EmptyState title={t('markets.nothingFound')} />
  ) : (
    <EmptyState title={t('markets.noPerps')} text={t('markets.noPerpsText')} />
  );
  return (
    <Table
      label={t('markets.perps')}
      columns={columns}
      rows={rows}
      rowKey={({ perp }) => perp.index}
      rowHeight={ROW_PX}
      empty={empty}
      sortedBy={{ id: 'volume', isDescending: true }}
      onRowClick={({ perp }) => void navigate({ to: `/trade/${perp.name}` })}
    />
  );
}

function columnsOf(t: Words): readonly Column<PerpRow>[] {
  return [
    {
      id: 'market',
      header: t('markets.market'),
      width: '26%',
      phoneWidth: '42%',
      cell: (row) => <Market row={row} />,
      compare: (a, b) => a.perp.name.localeCompare(b.perp.name),
    },
    {
      id: 'price',
      header: t('markets.price'),
      align: 'right',
      cell: ({ perp, ticker }) => (
        <span className="text-15 font-medium">
          <Price value={ticker?.markPx} decimals={priceDecimals(perp)} hasFlash />
        </span>
      ),
      compare: byDecimal(({ ticker }) => ticker?.markPx),
    },
    {
      id: 'change',
      header: t('markets.change'),
      align: 'right',
      cell: (row) => <Change row={row} t={t} />,
      compare: byDecimal(changeOf),
    },
    {
      id: 'trend',
      header: t('markets.trend'),
      align: 'right',
      from: 'tablet',
      cell: ({ perp, ticker, trend }) => (
        <span className="inline-block align-middle">
          <Spark
            values={lineOf(trend, ticker)}
            faint={trend?.before}
            label={t('markets.trendOf', { name: perp.name })}
          />
        </span>
      ),
    },
    {
      id: 'volume',
      header: t('markets.volume'),
      align: 'right',
      from: 'tablet',
      cell: ({ ticker }) => compact(ticker?.dayNtlVlm),
      compare: byDecimal(({ ticker }) => ticker?.dayNtlVlm),
    },
    {
      id: 'openInterest',
      header: t('markets.openInterest'),
      align: 'right',
      from: 'tablet',
      cell: (row) => compact(openInterestOf(row)),
      compare: byDecimal(openInterestOf),
    },
    {
      id: 'funding',
      header: t('markets.funding'),
      align: 'right',
      from: 'tablet',
      cell: ({ ticker }) => <Funding rate={ticker?.funding} t={t} />,
      compare: byDecimal(({ ticker }) => ticker?.funding),
    },
  ];
}

function Change({ row, t }: { readonly row: PerpRow; readonly t: Words }) {
  const isPast = isAgainstPast(row.ticker, row.trend);
  return (
    <span title={isPast ? t('markets.beforeTitle') : undefined}>
      <Percent value={changeOf(row)} />
    </span>
  );
}

function Market({ row: { perp } }: { readonly row: PerpRow }) {
  const t = useWords();
  return (
    <span className="flex items-center gap-2">
      <Link
        to={`/trade/${perp.name}`}
        className="text-15 font-medium hover:underline"
        onClick={(event) => event.stopPropagation()}
      >
        {perp.name}
      </Link>
      <span className="text-12 text-muted">{perp.maxLeverage}×</span>
      {perp.haltTrading && <Badge tone="warning">{t('markets.halted')}</Badge>}
      {perp.delisted && <Badge tone="warning">{t('markets.delisted')}</Badge>}
      {perp.onlyIsolated && <Badge>{t('markets.isolated')}</Badge>}
    </span>
  );
}

function Funding({ rate, t }: { readonly rate: string | undefined; readonly t: Words }) {
  const direction = isDecimal(rate) ? sign(rate) : 0;
  const title =
    direction > 0 ? t('markets.longsPay') : direction < 0 ? t('markets.shortsPay') : undefined;
  return <span title={title}>{hourlyRate(rate)}</span>;
}

/** From where the change is counted to where the price is now. */
function lineOf(trend: Trend | undefined, ticker: Ticker | undefined): readonly number[] {
  if (trend?.open === undefined || !isDecimal(ticker?.markPx)) return [];
  return [toPixels(trend.open), ...trend.closes, toPixels(ticker.markPx)];
}

function Loading() {
  return (
    <div aria-hidden="true" className="flex flex-col">
      {[0, 1, 2].map((row) => (
        <div
          key={row}
          className="flex h-12 items-center justify-between border-b border-line/50 px-4"
        >
          <Skeleton width="10ch" />
          <Skeleton width="24ch" />
        </div>
      ))}
    </div>
  );
}
