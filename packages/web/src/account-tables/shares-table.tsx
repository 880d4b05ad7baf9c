import { useQuery } from '@tanstack/react-query';
import type { AssetPosition, Fill } from '@oddlot/sdk';
import { useMemo } from 'react';
import { magnitude, multiply, sign } from '../lib/decimal.ts';
import { cents, number } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { accountStates } from '../market/account.ts';
import { reader } from '../market/venue.ts';
import { Money } from '../ui/figure.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Market, minuteColumn, Nothing, numberColumn, Sided, STACKED_ROW_PX } from './cells.tsx';
import { fillId, useFills } from '../market/account-lists.ts';

const NONE: readonly AssetPosition[] = [];
/** How often titles are asked for: they change when a market is resolved. */
const TITLES_MS = 15_000;

/** Shares of events: what they are worth now, and in either end. */
export function SharesTable({ user }: { readonly user: string }) {
  const t = useWords();
  // The stream has the numbers, the query the titles beside them: a change of the one asks for the other.
  const live = accountStates.use({ user, accountType: 'outcome' }, ({ state }) => state);
  const sizes = live?.assetPositions
    .map(({ position }) => `${position.asset} ${position.szi}`)
    .join(',');
  const { data } = useQuery({
    queryKey: ['outcomePositions', user, sizes],
    queryFn: ({ signal }) => reader.info.outcomePositions({ user }, { signal }),
    placeholderData: (before) => before,
    refetchInterval: TITLES_MS,
  });
  const rows = useMemo(() => withLive(data ?? NONE, live?.assetPositions ?? NONE), [data, live]);
  const columns = useMemo(() => shareColumns(t), [t]);
  return (
    <Table
      label={t('portfolio.tab.shares')}
      columns={columns}
      rows={rows}
      rowKey={keyOf}
      stackedRowHeight={STACKED_ROW_PX}
      empty={<Nothing name="shares" user={user} isLoaded={data !== undefined} />}
    />
  );
}

function keyOf({ position }: AssetPosition): string {
  return `${position.asset} ${sign(position.szi)}`;
}

/** The figures of now under the titles that were asked for. */
function withLive(
  titled: readonly AssetPosition[],
  live: readonly AssetPosition[],
): readonly AssetPosition[] {
  const byKey = new Map(live.map((row) => [keyOf(row), row.position]));
  return titled.map((row) => {
    const now = byKey.get(keyOf(row));
    return now === undefined ? row : { ...row, position: { ...row.position, ...now } };
  });
}

function shareColumns(t: Words): readonly Column<AssetPosition>[] {
  return [
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ position: { coin, slug, title } }) => (
        <Market symbol={coin} slug={slug} title={title} isOutcome />
      ),
    },
    {
      id: 'leg',
      header: t('portfolio.leg'),
      width: '96px',
      phoneWidth: '64px',
      cell: ({ position: { outcomeNames, szi } }) => {
        const isYes = sign(szi) > 0;
        return (
          <Sided isBuy={isYes}>{outcomeNames?.[isYes ? 0 : 1] ?? (isYes ? 'Yes' : 'No')}</Sided>
        );
      },
    },
    numberColumn('size', t('portfolio.size'), ({ position }) => number(magnitude(position.szi)), {
      width: '96px',
      phoneWidth: '72px',
    }),
    numberColumn('entry', t('portfolio.entry'), ({ position }) => cents(position.entryPx, 3), {
      from: 'tablet',
      width: '88px',
    }),
    numberColumn('mark', t('portfolio.mark'), ({ position }) => cents(position.markPx, 3), {
      from: 'tablet',
      width: '88px',
    }),
    numberColumn(
      'cost',
      t('portfolio.cost'),
      ({ position }) => <Money value={position.marginUsed} />,
      {
        from: 'tablet',
        width: '104px',
      },
    ),
    numberColumn(
      'worth',
      t('portfolio.worth'),
      ({ position }) => <Money value={position.positionValue} />,
      {
        width: '104px',
        phoneWidth: '80px',
      },
    ),
    numberColumn(
      'pnl',
      t('portfolio.pnl'),
      ({ position }) => <Money value={position.unrealizedPnl} isSigned isColoured />,
      { width: '104px', from: 'tablet' },
    ),
    ...endColumns(t),
  ];
}

/** What the shares pay in either end. */
function endColumns(t: Words): readonly Column<AssetPosition>[] {
  return [
    numberColumn(
      'yes',
      t('portfolio.ifYes'),
      ({ position: { szi } }) => <Money value={sign(szi) > 0 ? szi : '0'} />,
      { width: '96px', from: 'desktop' },
    ),
    numberColumn(
      'no',
      t('portfolio.ifNo'),
      ({ position: { szi } }) => <Money value={sign(szi) < 0 ? magnitude(szi) : '0'} />,
      { width: '96px', from: 'desktop' },
    ),
  ];
}

/** What shares paid when their markets resolved. The market's page has the receipt. */
export function SettlementsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useFills(user);
  const settled = useMemo(() => rows.filter(isSettlement), [rows]);
  const columns = useMemo(() => settlementColumns(t), [t]);
  return (
    <Table
      label={t('portfolio.tab.settlements')}
      columns={columns}
      rows={settled}
      rowKey={fillId}
      stackedRowHeight={STACKED_ROW_PX}
      older={older}
      empty={<Nothing name="settlements" user={user} isLoaded={isLoaded} />}
    />
  );
}

/** All of them, for a file. */
export async function allSettlements(user: string): Promise<readonly Fill[]> {
  const rows: Fill[] = [];
  for await (const fill of reader.info.allUserFills({ user, accountType: ['outcome'] })) {
    if (isSettlement(fill)) rows.push(fill);
  }
  return rows;
}

function isSettlement({ dir }: Fill): boolean {
  return dir === 'Settlement';
}

function settlementColumns(t: Words): readonly Column<Fill>[] {
  return [
    minuteColumn(({ time }) => time, t),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ slug, symbol, title }) => (
        <Market symbol={symbol} slug={slug} title={title} isOutcome />
      ),
    },
    {
      id: 'leg',
      header: t('portfolio.leg'),
      width: '96px',
      phoneWidth: '48px',
      cell: ({ outcome }) => <Sided isBuy={outcome === 'Yes'}>{outcome}</Sided>,
    },
    numberColumn('size', t('portfolio.size'), ({ sz }) => number(sz), {
      from: 'tablet',
      width: '110px',
    }),
    numberColumn('entry', t('portfolio.entry'), ({ entryPrice }) => cents(entryPrice, 3), {
      from: 'tablet',
      width: '110px',
    }),
    numberColumn('paid', t('portfolio.paidEach'), ({ px }) => cents(px, 3), {
      from: 'tablet',
      width: '110px',
    }),
    numberColumn(
      'payout',
      t('portfolio.payout'),
      ({ px, sz }) => <Money value={multiply(px, sz)} />,
      { width: '130px', phoneWidth: '72px' },
    ),
    numberColumn(
      'result',
      t('portfolio.result'),
      ({ closedPnl }) => <Money value={closedPnl} isSigned isColoured />,
      { width: '130px', phoneWidth: '72px' },
    ),
  ];
}
