import type { LeaderboardRow } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { texts } from 'words:activity';
import { usePageTitle } from '../../lib/browser.ts';
import { divide } from '../../lib/decimal.ts';
import { compact, dateTime, number } from '../../lib/format.ts';
import { addWords, useWords, type Words } from '../../lib/words.ts';
import { useSettings, useSimulated } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { useSession } from '../../session/session.ts';
import { Segmented } from '../../ui/controls.tsx';
import { Badge, Money, Percent, Who } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Heading, Panel } from './panel.tsx';

addWords(texts);

const SORTS = ['pnl', 'volume'] as const;
const WINDOWS = ['day', 'week', 'month', 'all'] as const;
const AGAIN_MS = 10_000;
const SHOWN_MAX = 100;
const RATIO_DECIMALS = 6;

export function Screen() {
  const t = useWords();
  usePageTitle(t('activity.board.title'));
  const { data: settings } = useSettings();
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <Heading at="/leaderboard" />
      {settings?.has_leaderboard === false ? (
        <EmptyState title={t('activity.board.off')} text={t('activity.board.offText')} />
      ) : (
        <div className="flex-1 desktop:max-w-5xl">
          <Board />
        </div>
      )}
    </div>
  );
}

function Board() {
  const t = useWords();
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const sortBy = SORTS.find((each) => each === search['by']) ?? 'pnl';
  const window = WINDOWS.find((each) => each === search['window']) ?? 'week';
  const look = (change: Record<string, string>): void => {
    void navigate({ to: '/leaderboard', search: { ...search, ...change }, replace: true });
  };
  const { data } = useQuery({
    queryKey: ['leaderboard', sortBy, window],
    queryFn: ({ signal }) =>
      reader.info.leaderboard({ sortBy, window, limit: SHOWN_MAX }, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const own = useSession()?.address;
  const ownRow = useOwnRow(own, window);
  const rows = useMemo((): readonly Ranked[] => {
    const ranked = data?.rows.map((row, at): Ranked => ({ ...row, rank: at + 1 })) ?? [];
    const isAmong = ranked.some(({ user }) => user === own);
    return isAmong || ownRow === undefined || ranked.length === 0 ? ranked : [ownRow, ...ranked];
  }, [data, own, ownRow]);
  const simulated = useSimulated();
  const columns = useMemo(() => columnsOf(t, { own, simulated }), [t, own, simulated]);
  return (
    <Panel
      title={t('activity.board.label')}
      aside={
        <>
          <Segmented
            label={t('activity.board.by')}
            size="small"
            value={sortBy}
            onChange={(next) => look({ by: next })}
            segments={SORTS.map((value) => ({ value, label: t(`activity.board.${value}`) }))}
          />
          <Segmented
            label={t('activity.time')}
            size="small"
            value={window}
            onChange={(next) => look({ window: next })}
            segments={WINDOWS.map((value) => ({ value, label: t(`activity.window.${value}`) }))}
          />
        </>
      }
    >
      <Table
        label={t('activity.board.label')}
        columns={columns}
        rows={rows}
        rowKey={({ user }) => user}
        isSelected={({ user }) => user === own}
        empty={
          data === undefined ? null : (
            <EmptyState title={t('activity.noTrades')} text={t('activity.board.emptyText')} />
          )
        }
      />
      {data !== undefined && rows.length > 0 && (
        <p className="px-4 py-2 text-12 text-muted">
          {t('activity.board.compared', { time: dateTime(data.rankedTime) })}
        </p>
      )}
    </Panel>
  );
}

type Ranked = LeaderboardRow & { readonly rank: number | undefined };

function useOwnRow(user: string | undefined, window: (typeof WINDOWS)[number]): Ranked | undefined {
  const { data } = useQuery({
    queryKey: ['leaderboard', 'own', user, window],
    queryFn: ({ signal }) => reader.info.portfolio({ user: user!, window }, { signal }),
    enabled: user !== undefined,
    refetchInterval: AGAIN_MS,
  });
  const last = data?.points.at(-1);
  return useMemo(() => {
    if (user === undefined || last === undefined) return undefined;
    const { accountValue, pnl, volume } = last;
    return { user, accountValue, pnl, volume, rank: undefined };
  }, [user, last]);
}

function columnsOf(
  t: Words,
  { own, simulated }: { readonly own: string | undefined; readonly simulated: ReadonlySet<string> },
): readonly Column<Ranked>[] {
  return [
    {
      id: 'rank',
      header: t('activity.column.rank'),
      align: 'right',
      width: '56px',
      phoneWidth: '40px',
      cell: ({ rank }) => <Rank rank={rank} />,
    },
    {
      id: 'account',
      header: t('activity.column.account'),
      cell: ({ user }) => (
        <span className="inline-flex items-center gap-1.5">
          <Who user={user} isSimulated={simulated.has(user)} />
          {user === own && <Badge tone="accent">{t('activity.board.you')}</Badge>}
        </span>
      ),
    },
    {
      id: 'value',
      header: t('activity.column.accountValue'),
      align: 'right',
      from: 'tablet',
      cell: ({ accountValue }) => <Money value={accountValue} />,
    },
    {
      id: 'pnl',
      header: t('activity.column.pnl'),
      align: 'right',
      phoneWidth: '84px',
      cell: ({ pnl }) => <Money value={pnl} isSigned isColoured />,
    },
    {
      id: 'perVolume',
      header: t('activity.column.perVolume'),
      align: 'right',
      from: 'tablet',
      cell: ({ pnl, volume }) => (
        <Percent value={divide(pnl, volume, RATIO_DECIMALS)} decimals={3} isSigned />
      ),
    },
    {
      id: 'volume',
      header: t('activity.column.volume'),
      align: 'right',
      phoneWidth: '84px',
      cell: ({ volume }) => (
        <span title={number(volume)}>
          <span className="max-tablet:hidden">{number(volume, { decimals: 0 })}</span>
          <span className="tablet:hidden">{compact(volume)}</span>
        </span>
      ),
    },
  ];
}

function Rank({ rank }: Pick<Ranked, 'rank'>) {
  const t = useWords();
  if (rank !== undefined) return <span className="text-muted">{number(String(rank))}</span>;
  const title = t('activity.board.unranked', { count: SHOWN_MAX });
  return (
    <abbr title={title} className="text-muted no-underline">
      –
    </abbr>
  );
}
