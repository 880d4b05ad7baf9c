import { useQuery } from '@tanstack/react-query';
import type { LargestTrade } from '@oddlot/sdk';
import { useMemo } from 'react';
import { isBought, Market } from '../../account-tables/cells.tsx';
import { cents, number } from '../../lib/format.ts';
import { dateTime } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { OnGrid, SizeOnGrid } from '../../market/on-grid.tsx';
import { timeColumn } from '../../market/time-column.tsx';
import { useSimulated } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { byDecimal, type Column, Table } from '../../ui/table.tsx';
import { Who } from '../../ui/address.tsx';
import { Panel } from './panel.tsx';

const KINDS = ['perps', 'events'] as const;
const SPANS = ['day', 'week', 'month'] as const;
const AGAIN_MS = 10_000;
/** For a name over its time. */
const EVENT_ROW_PX = 44;

/** Who traded large, and with whom. */
export function LargestTrades({
  of,
  span,
  onLook,
}: {
  readonly of: (typeof KINDS)[number];
  readonly span: unknown;
  readonly onLook: (change: Record<string, string>) => void;
}) {
  const t = useWords();
  const window = SPANS.find((each) => each === span) ?? 'day';
  const accountType = of === 'perps' ? ('perp' as const) : ('outcome' as const);
  const { data } = useQuery({
    queryKey: ['largestTrades', accountType, window],
    queryFn: ({ signal }) => reader.info.largestTrades({ accountType, window }, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const simulated = useSimulated();
  const columns = useMemo(() => columnsOf(t, of, simulated), [t, of, simulated]);
  return (
    <Panel
      title={t('activity.trades')}
      aside={
        <>
          <Segmented
            label={t('activity.kinds')}
            size="small"
            value={of}
            onChange={(next) => onLook({ of: next })}
            segments={KINDS.map((value) => ({ value, label: t(`activity.${value}`) }))}
          />
          <Segmented
            label={t('activity.time')}
            size="small"
            value={window}
            onChange={(next) => onLook({ window: next })}
            segments={SPANS.map((value) => ({ value, label: t(`activity.window.${value}`) }))}
          />
        </>
      }
    >
      <Table
        // What was sorted by a column of the one is not asked of the other.
        key={of}
        label={t('activity.trades')}
        columns={columns}
        rows={data?.trades ?? []}
        {...(of === 'events' ? { rowHeight: EVENT_ROW_PX } : {})}
        rowKey={({ instrumentId, tid }) => `${instrumentId}/${tid}`}
        empty={
          data === undefined ? null : (
            <EmptyState
              title={t('activity.noTrades')}
              text={t('activity.noTradesText', { time: dateTime(data.startTime) })}
            />
          )
        }
      />
    </Panel>
  );
}

function columnsOf(
  t: Words,
  of: (typeof KINDS)[number],
  simulated: ReadonlySet<string>,
): readonly Column<LargestTrade>[] {
  const isPerps = of === 'perps';
  const whoColumn = (id: 'taker' | 'maker'): Column<LargestTrade> => ({
    id,
    header: t(`activity.column.${id}`),
    from: 'desktop',
    width: '132px',
    cell: ({ side, users }) => {
      const user = users?.[(side === 'B') === (id === 'taker') ? 0 : 1];
      return user !== undefined && <Who user={user} isSimulated={simulated.has(user)} />;
    },
  });
  return [
    timeColumn(t('activity.column.time'), ({ time }) => time, {
      width: '64px',
      phoneWidth: '56px',
      short: 'always',
    }),
    {
      id: 'market',
      header: t('activity.column.market'),
      ...(isPerps ? { width: '100px' } : {}),
      cell: ({ coin, slug, title }) => (
        <Market symbol={coin} slug={slug} title={title} isOutcome={!isPerps} isStacked />
      ),
    },
    {
      id: 'side',
      header: t('activity.column.side'),
      width: isPerps ? '64px' : '80px',
      phoneWidth: isPerps ? '56px' : '72px',
      cell: (trade) => <Side trade={trade} />,
    },
    {
      id: 'price',
      header: t('activity.column.price'),
      align: 'right',
      width: '88px',
      from: 'tablet',
      cell: ({ instrumentId, price, px }) =>
        isPerps ? <OnGrid coin={String(instrumentId)} value={px} /> : cents(price ?? px),
    },
    {
      id: 'size',
      header: t(isPerps ? 'activity.column.size' : 'activity.column.shares'),
      align: 'right',
      width: '88px',
      from: 'tablet',
      cell: ({ instrumentId, sz }) =>
        isPerps ? <SizeOnGrid coin={String(instrumentId)} value={sz} /> : number(sz),
    },
    {
      id: 'value',
      header: t('activity.column.value'),
      align: 'right',
      width: '76px',
      phoneWidth: isPerps ? '72px' : '56px',
      cell: ({ ntl }) => <span title={number(ntl)}>{number(ntl, { decimals: 0 })}</span>,
      compare: byDecimal(({ ntl }) => ntl),
    },
    whoColumn('taker'),
    // The name of an event needs the room.
    ...(isPerps ? [whoColumn('maker')] : []),
  ];
}

function Side({ trade }: { readonly trade: LargestTrade }) {
  const t = useWords();
  const { liquidation, outcome } = trade;
  const isBuy = isBought(trade);
  return (
    <span className={isBuy ? 'text-buy' : 'text-sell'}>
      {outcome === undefined
        ? t(isBuy ? 'activity.buy' : 'activity.sell')
        : t(isBuy ? 'activity.buyLeg' : 'activity.sellLeg', {
            leg: t(outcome === 'Yes' ? 'activity.yes' : 'activity.no'),
          })}
      {liquidation === true && (
        <abbr title={t('activity.liquidationTitle')} className="ms-1 no-underline">
          {t('activity.liquidationMark')}
        </abbr>
      )}
    </span>
  );
}
