import type { FundingHistoryRow } from '@oddlot/sdk';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { divide, multiply, sum, toPixels } from '../../lib/decimal.ts';
import { hourlyRate } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { usePerpRows, type PerpRow } from '../../market/past-prices.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { Percent, Spark } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { byDecimal, Table, type Column } from '../../ui/table.tsx';

type Row = PerpRow & { readonly sums: FundingSums | undefined };

const WEEK_MS = 7 * 86_400_000;
const AGAIN_MS = 60_000;
const PERPS_MAX = 30;

export function FundingTable({ wanted }: { readonly wanted: string }) {
  const t = useWords();
  const { rows: perps } = usePerpRows(wanted);
  const asked = useMemo(() => perps.slice(0, PERPS_MAX), [perps]);
  const sums = useQueries({
    queries: asked.map(({ perp: { index } }) => ({
      queryKey: ['fundingSums', index],
      queryFn: async () => {
        const startTime = venueNow() - WEEK_MS;
        const rows = await reader.info.fundingHistory({ coin: String(index), startTime });
        return fundingSums(rows, venueNow());
      },
      refetchInterval: AGAIN_MS,
    })),
  });
  const rows = asked.map((row, at) => ({ ...row, sums: sums[at]?.data }));
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Table
      label={t('markets.fundingAll')}
      columns={columns}
      rows={rows}
      rowKey={({ perp }) => perp.index}
      empty={<EmptyState title={t('markets.noPerps')} />}
    />
  );
}

function columnsOf(t: Words): readonly Column<Row>[] {
  const rate = (id: 'day' | 'week' | 'yearly', header: string, decimals: number): Column<Row> => ({
    id,
    header,
    align: 'right',
    cell: ({ sums }) => <Percent value={sums?.[id]} decimals={decimals} />,
    compare: byDecimal(({ sums }) => sums?.[id]),
  });
  return [
    { id: 'market', header: t('markets.market'), cell: ({ perp }) => perp.name },
    {
      id: 'now',
      header: t('markets.funding'),
      align: 'right',
      cell: ({ ticker }) => hourlyRate(ticker?.funding),
      compare: byDecimal(({ ticker }) => ticker?.funding),
    },
    rate('day', t('markets.fundingDay'), 4),
    { ...rate('week', t('markets.fundingWeek'), 4), from: 'tablet' },
    { ...rate('yearly', t('markets.fundingYear'), 2), from: 'tablet' },
    {
      id: 'line',
      header: t('markets.fundingLine'),
      align: 'right',
      from: 'desktop',
      cell: ({ perp, sums }) => (
        <Spark values={sums?.rates ?? []} label={t('markets.fundingOf', { name: perp.name })} />
      ),
    },
  ];
}

export type FundingSums = {
  readonly day: string | undefined;
  readonly week: string | undefined;
  readonly yearly: string | undefined;
  readonly rates: readonly number[];
};

const DAY_MS = 86_400_000;
const HOURS_OF_A_YEAR = '8760';

export function fundingSums(rows: readonly FundingHistoryRow[], nowMs: number): FundingSums {
  const rates = rows.map(({ fundingRate }) => fundingRate);
  const day = rows
    .filter(({ time }) => time > nowMs - DAY_MS)
    .map(({ fundingRate }) => fundingRate);
  const week = sumOf(rates);
  const mean = week === undefined ? undefined : divide(week, String(rates.length), 12);
  return {
    day: sumOf(day),
    week,
    yearly: mean === undefined ? undefined : multiply(mean, HOURS_OF_A_YEAR),
    rates: rates.map(toPixels),
  };
}

function sumOf(rates: readonly string[]): string | undefined {
  return rates.length === 0 ? undefined : sum(rates);
}
