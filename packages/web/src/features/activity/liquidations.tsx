import { useQuery } from '@tanstack/react-query';
import type { Liquidation } from '@oddlot/sdk';
import { useMemo } from 'react';
import { Market } from '../../account-tables/cells.tsx';
import { sum } from '../../lib/decimal.ts';
import { compact, number } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { OnGrid } from '../../market/on-grid.tsx';
import { timeColumn } from '../../market/time-column.tsx';
import { useSimulated } from '../../market/use-simulated.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { byDecimal } from '../../ui/sort-rows.ts';
import { Table, type Column } from '../../ui/table.tsx';
import { Who } from '../../ui/who.tsx';
import { Panel } from './panel.tsx';

const DAY_MS = 86_400_000;
const AGAIN_MS = 10_000;
/** As many as one question may ask for. */
const SHOWN_MAX = 200;

/** What the venue closed of positions in danger within the last day, newest first. */
export function Liquidations() {
  const t = useWords();
  const { data } = useQuery({
    queryKey: ['liquidations'],
    queryFn: ({ signal }) =>
      reader.info.liquidations({ startTime: venueNow() - DAY_MS, limit: SHOWN_MAX }, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const simulated = useSimulated();
  const columns = useMemo(() => columnsOf(t, simulated), [t, simulated]);
  const rows = data ?? [];
  const isFull = rows.length === SHOWN_MAX;
  return (
    <Panel
      title={t('activity.liquidations')}
      aside={
        rows.length > 0 && (
          <span className="text-12 text-muted tabular-nums">
            {t(isFull ? 'activity.newestOf' : 'activity.sumOf', {
              count: rows.length,
              amount: compact(sum(rows.map(({ ntl }) => ntl))),
            })}
          </span>
        )
      }
    >
      <Table
        label={t('activity.liquidations')}
        columns={columns}
        rows={rows}
        rowKey={({ hash, instrumentId, step, sz, user }) =>
          `${hash}/${user}/${instrumentId}/${step}/${sz}`
        }
        empty={
          data === undefined ? null : (
            <EmptyState
              title={t('activity.noLiquidations')}
              text={t('activity.noLiquidationsText')}
            />
          )
        }
      />
    </Panel>
  );
}

function columnsOf(t: Words, simulated: ReadonlySet<string>): readonly Column<Liquidation>[] {
  return [
    timeColumn(t('activity.column.time'), ({ time }) => time, {
      width: '64px',
      phoneWidth: '56px',
      short: 'always',
    }),
    {
      id: 'market',
      header: t('activity.column.market'),
      width: '96px',
      cell: ({ coin }) => <Market symbol={coin} isOutcome={false} />,
    },
    {
      id: 'position',
      header: t('activity.column.position'),
      width: '64px',
      phoneWidth: '56px',
      // What sold closed a long one.
      cell: ({ side }) => (
        <span className={side === 'A' ? 'text-buy' : 'text-sell'}>
          {t(side === 'A' ? 'activity.long' : 'activity.short')}
        </span>
      ),
    },
    {
      id: 'price',
      header: t('activity.column.price'),
      align: 'right',
      from: 'tablet',
      width: '80px',
      cell: ({ instrumentId, markPx, px }) => (
        <span title={t('activity.markThen', { price: number(markPx) })}>
          <OnGrid coin={String(instrumentId)} value={px} />
        </span>
      ),
    },
    {
      id: 'value',
      header: t('activity.column.value'),
      align: 'right',
      width: '64px',
      phoneWidth: '72px',
      cell: ({ ntl, sz }) => (
        <span title={t('activity.sizeOf', { size: number(sz), value: number(ntl) })}>
          {number(ntl, { decimals: 0 })}
        </span>
      ),
      compare: byDecimal(({ ntl }) => ntl),
    },
    {
      id: 'step',
      header: t('activity.column.step'),
      from: 'tablet',
      cell: ({ step }) => (
        <span title={t(`activity.stepTitle.${step}`)}>{t(`activity.step.${step}`)}</span>
      ),
    },
    {
      id: 'account',
      header: t('activity.column.account'),
      from: 'tablet',
      width: '128px',
      cell: ({ user }) => <Who user={user} isSimulated={simulated.has(user)} />,
    },
  ];
}
