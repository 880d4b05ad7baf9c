import type { BuilderClaim, BuilderEarning, BuilderRows } from '@oddlot/sdk';
import { cents, short } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { OnGrid } from '../../market/on-grid.tsx';
import { Money, Percent } from '../../ui/figure.tsx';
import { type Column, type Older, Table } from '../../ui/table.tsx';
import { useMemo } from 'react';
import { timeColumn } from '../../market/time-column.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useQuery } from '@tanstack/react-query';
import { useOlder } from '../../market/use-older.ts';
import { reader } from '../../market/venue.ts';

const earningId = ({ marketType, orderId }: BuilderEarning) => `${marketType} ${orderId}`;

/** Orders that paid this builder, one row each. */
export function EarnedTable({ user }: { readonly user: string }) {
  const t = useWords();
  return (
    <BuilderTable<BuilderEarning>
      label={t('builder.tabEarned')}
      user={user}
      type="builderMeEarned"
      idOf={earningId}
      columnsOf={earningColumns}
      empty={{ title: t('builder.noEarned'), text: t('builder.noEarnedText') }}
    />
  );
}

function earningColumns(t: Words): readonly Column<BuilderEarning>[] {
  return [
    {
      id: 'market',
      header: t('builder.market'),
      cell: ({ instrumentName }) => (
        <span title={instrumentName} className="normal-nums">
          {instrumentName}
        </span>
      ),
    },
    {
      id: 'user',
      header: t('builder.user'),
      width: '140px',
      from: 'tablet',
      cell: ({ user }) => <span className="font-mono text-12">{user}</span>,
    },
    {
      id: 'price',
      header: t('builder.price'),
      align: 'right',
      from: 'desktop',
      cell: ({ instrumentName, marketType, price }) =>
        marketType === 'outcome' ? cents(price) : <OnGrid coin={instrumentName} value={price} />,
    },
    {
      id: 'volume',
      header: t('builder.volume'),
      align: 'right',
      from: 'tablet',
      cell: ({ notional }) => <Money value={notional} />,
    },
    {
      id: 'rate',
      header: t('builder.rate'),
      align: 'right',
      width: '90px',
      from: 'tablet',
      cell: ({ builderFeeRate }) => (
        <Percent value={builderFeeRate} decimals={3} isSigned={false} isColoured={false} />
      ),
    },
    {
      id: 'fee',
      header: t('builder.fee'),
      align: 'right',
      width: '110px',
      phoneWidth: '90px',
      cell: ({ builderFee }) => <Money value={builderFee} isSigned />,
    },
  ];
}

const claimId = ({ txHash }: BuilderClaim) => txHash;

/** What was claimed, and when. */
export function ClaimsTable({ user }: { readonly user: string }) {
  const t = useWords();
  return (
    <BuilderTable<BuilderClaim>
      label={t('builder.tabClaimed')}
      user={user}
      type="builderMeClaimed"
      idOf={claimId}
      columnsOf={claimColumns}
      empty={{ title: t('builder.noClaims'), text: t('builder.noClaimsText') }}
    />
  );
}

function claimColumns(t: Words): readonly Column<BuilderClaim>[] {
  return [
    {
      id: 'hash',
      header: t('builder.hash'),
      cell: ({ txHash }) => (
        <span className="font-mono text-12" title={txHash}>
          {short(txHash)}
        </span>
      ),
    },
    {
      id: 'amount',
      header: t('builder.amount'),
      align: 'right',
      cell: ({ amount }) => <Money value={amount} isSigned />,
    },
  ];
}

type BuilderTableProps<Row> = BuilderRowsOptions<Row> & {
  readonly label: string;
  /** Beside the time, which all of them have. */
  readonly columnsOf: (t: Words) => readonly Column<Row>[];
  readonly empty: { readonly title: string; readonly text: string };
};

/** What a builder earned or claimed, a row each, to the first one. */
function BuilderTable<Row extends { readonly time: number }>({
  columnsOf,
  empty,
  idOf,
  label,
  type,
  user,
}: BuilderTableProps<Row>) {
  const t = useWords();
  const { isLoaded, older, rows } = useBuilderRows<Row>({ user, type, idOf });
  const columns = useMemo(() => [rowTimeColumn<Row>(t), ...columnsOf(t)], [columnsOf, t]);
  return (
    <Table
      label={label}
      columns={columns}
      rows={rows}
      rowKey={idOf}
      older={older}
      empty={isLoaded && <EmptyState {...empty} />}
    />
  );
}

function rowTimeColumn<Row extends { readonly time: number }>(t: Words): Column<Row> {
  return timeColumn(t('builder.time'), ({ time }) => time, {
    phoneWidth: '104px',
    short: 'never',
    isSortable: false,
  });
}

const EVERY_MS = 5_000;
const PAGE_ROWS = 100;
const NONE: readonly never[] = [];
const timeOf = ({ time }: { readonly time: number }): number => time;

type BuilderRowsOptions<Row> = {
  readonly user: string;
  readonly type: 'builderMeEarned' | 'builderMeClaimed';
  readonly idOf: (row: Row) => string | number;
};

/** What a builder earned or claimed: the newest page again and again, older ones on scrolling. */
function useBuilderRows<Row extends { readonly time: number }>({
  user,
  type,
  idOf,
}: BuilderRowsOptions<Row>): {
  readonly rows: readonly Row[];
  readonly isLoaded: boolean;
  readonly older: Older;
} {
  const page = (start: object, options: { readonly signal: AbortSignal }) =>
    reader.info.historyPage<typeof type, BuilderRows<Row>>(
      { type, user, pageSize: PAGE_ROWS, ...start },
      options,
    );
  const { data } = useQuery({
    queryKey: [type, user],
    queryFn: ({ signal }) => page({}, { signal }),
    refetchInterval: EVERY_MS,
  });
  const whole = useOlder<Row>({
    key: `${type} ${user}`,
    head: data?.data.items ?? NONE,
    fullAt: PAGE_ROWS,
    timeOf,
    idOf,
    ask: async (start, options) => {
      const older = await page(start, options);
      return { ...older, data: older.data.items };
    },
  });
  return { ...whole, isLoaded: data !== undefined };
}

/** All rows, for a file. */
export async function allBuilderRows(
  tab: 'earned' | 'claimed',
  user: string,
): Promise<readonly object[]> {
  const { allBuilderMeClaimed, allBuilderMeEarned } = reader.info;
  const rows: object[] = [];
  for await (const row of tab === 'earned'
    ? allBuilderMeEarned({ user })
    : allBuilderMeClaimed({ user })) {
    rows.push(row);
  }
  return rows;
}
