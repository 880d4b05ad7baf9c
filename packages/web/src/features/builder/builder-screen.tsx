import type {
  BuilderClaim,
  BuilderEarning,
  BuilderRows,
  BuilderShares,
  BuilderState,
  Client,
} from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { texts } from 'words:builder';
import { csvOf, saveFile, usePageTitle } from '../../lib/browser.ts';
import { isDecimal, sign } from '../../lib/decimal.ts';
import { cents, money, percent, short } from '../../lib/format.ts';
import { addWords, useWords, type Words } from '../../lib/words.ts';
import { useOlder } from '../../market/account-lists.ts';
import { OnGrid, timeColumn } from '../../market/cells.tsx';
import { queryClient } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { ApprovedBuilders } from '../../session/approved-builders.tsx';
import { NoAccount } from '../../session/first-steps.tsx';
import { doneOnce } from '../../session/sent-once.ts';
import { useIsSessionLoaded, useSession, type Session } from '../../session/session.ts';
import { Button, Segmented, Tabs } from '../../ui/controls.tsx';
import { Badge, CopyButton, Money, Percent, Stat } from '../../ui/figures.tsx';
import { notify } from '../../ui/overlays.tsx';
import { EmptyState, ErrorSentence, useDoing } from '../../ui/states.tsx';
import { Table, type Column, type Older } from '../../ui/table.tsx';

addWords(texts);

const TABS = ['earned', 'claimed', 'approvals'] as const;
const FIGURES_EVERY_MS = 5_000;

export function Screen() {
  const t = useWords();
  usePageTitle(t('nav.builder'));
  const session = useSession();
  const isLoaded = useIsSessionLoaded();
  if (!isLoaded) return null;
  if (session === undefined) return <NoAccount title={t('builder.none')} />;
  return <Builder session={session} />;
}

function Builder({ session }: { readonly session: Session }) {
  const t = useWords();
  const { address: user, owner, trader } = session;
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const tab = TABS.find((each) => each === search['tab']) ?? 'earned';
  const look = (change: Record<string, string>): void => {
    void navigate({ to: '/builder', search: { ...search, ...change }, replace: true });
  };
  const { data: state } = useQuery({
    queryKey: ['builderState', user],
    queryFn: ({ signal }) => reader.info.builderState({ user }, { signal }),
    refetchInterval: FIGURES_EVERY_MS,
  });
  return (
    <div className="flex min-h-full flex-col bg-panel desktop:h-full">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-3">
        <h1 className="text-20 font-semibold">{t('nav.builder')}</h1>
        {state !== undefined && (
          <Badge tone={state.eligible ? 'accent' : 'warning'}>
            {t(state.eligible ? 'builder.eligible' : 'builder.notEligible')}
          </Badge>
        )}
        <span className="flex min-w-0 items-center gap-2">
          <code className="min-w-0 font-mono text-11 break-all text-muted tablet:text-12">
            {user}
          </code>
          <CopyButton text={user} />
        </span>
        <p className="w-full text-12 text-muted">{t('builder.intro')}</p>
      </div>
      <Sums state={state} signer={trader ?? owner} />
      <div className="grid flex-1 max-desktop:content-start desktop:min-h-80 desktop:grid-cols-[minmax(0,1fr)_400px] desktop:grid-rows-[minmax(0,1fr)]">
        <div className="min-h-0 min-w-0 max-desktop:flex max-desktop:max-h-96 max-desktop:flex-col">
          <Tabs
            label={t('nav.builder')}
            value={tab}
            onChange={(next) => look({ tab: next })}
            tabs={[
              {
                value: 'earned',
                label: t('builder.tabEarned'),
                content: <EarnedTable user={user} />,
              },
              {
                value: 'claimed',
                label: t('builder.tabClaimed'),
                content: <ClaimsTable user={user} />,
              },
              {
                value: 'approvals',
                label: t('builder.tabApprovals'),
                content: <ApprovedBuilders user={user} owner={owner} />,
              },
            ]}
            aside={tab !== 'approvals' && <CsvButton tab={tab} user={user} />}
          />
        </div>
        <Shares user={user} search={search} onLook={look} />
      </div>
    </div>
  );
}

function CsvButton({ tab, user }: { readonly tab: 'earned' | 'claimed'; readonly user: string }) {
  const t = useWords();
  const name = t(tab === 'earned' ? 'builder.tabEarned' : 'builder.tabClaimed');
  const save = async (): Promise<void> =>
    saveFile(`builder-${tab}.csv`, csvOf(await allBuilderRows(tab, user)));
  return (
    <button
      type="button"
      aria-label={t('builder.csvOf', { name })}
      className="-my-2 py-2 text-12 text-muted hover:text-text"
      onClick={() => void save()}
    >
      {t('builder.csv')}
    </button>
  );
}

type SumsProps = { readonly state: BuilderState | undefined; readonly signer: Client | undefined };

function Sums({ state, signer }: SumsProps) {
  const t = useWords();
  const { error, isBusy, run } = useDoing();
  const amount = state?.unclaimedRewards;
  const hasSome = isDecimal(amount) && sign(amount) > 0;
  const claim = async (): Promise<void> => {
    const isDone = await run(() =>
      doneOnce(signer!, ({ exchange }) => exchange.claimBuilderRewards({ confirm: 'executed' })),
    );
    if (!isDone) return;
    notify({ title: t('builder.claimDone', { amount: money(amount) }) });
    await Promise.all(
      ['builderState', 'builderMeClaimed'].map((name) =>
        queryClient.invalidateQueries({ queryKey: [name] }),
      ),
    );
  };
  const least = money(state?.minPerpBalance);
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-3">
      <div className="flex flex-wrap items-start gap-x-10 gap-y-3">
        <dl className="grid w-full grid-cols-2 gap-x-4 gap-y-3 tablet:contents">
          <Stat unit="USDC" label={t('builder.claimable')} isLarge>
            <Money value={amount} />
          </Stat>
          <Stat unit="USDC" label={t('builder.earned')}>
            <Money value={state?.totalEarned} />
          </Stat>
          <Stat unit="USDC" label={t('builder.claimed')}>
            <Money value={state?.totalClaimed} />
          </Stat>
          <Stat
            unit="USDC"
            label={t('builder.balance')}
            note={t('builder.balanceNeeded', { least })}
          >
            <Money value={state?.perpAccountBalance} />
          </Stat>
        </dl>
        {signer !== undefined && (
          <span className="self-center">
            <Button
              kind={hasSome ? 'accent' : 'plain'}
              isBusy={isBusy}
              disabled={!hasSome}
              onClick={() => void claim()}
            >
              {hasSome
                ? t('builder.claim', { amount: money(amount) })
                : t('builder.nothingToClaim')}
            </Button>
          </span>
        )}
      </div>
      {error !== undefined && <ErrorSentence error={error} />}
      {state?.eligible === false && (
        <p className="border-s-2 border-warning ps-3 text-12">
          {t('builder.notEligibleText', { least })}
        </p>
      )}
    </div>
  );
}

const WINDOWS = ['7d', '30d', '90d', 'all'] as const;
const DIMENSIONS = ['instrument', 'user'] as const;
const SHARES_EVERY_MS = 10_000;
const SHOWN_MAX = 50;

type BuilderShare = BuilderShares['items'][number];

type SharesProps = {
  readonly user: string;
  readonly search: Readonly<Record<string, unknown>>;
  readonly onLook: (change: Record<string, string>) => void;
};

export function Shares({ user, search, onLook }: SharesProps) {
  const t = useWords();
  const span = WINDOWS.find((each) => each === search['window']) ?? '7d';
  const dimension = DIMENSIONS.find((each) => each === search['by']) ?? 'instrument';
  const { data } = useQuery({
    queryKey: ['builderMeShare', user, dimension, span],
    queryFn: ({ signal }) =>
      reader.info.builderMeShare({ user, dimension, window: span }, { signal }),
    placeholderData: (before) => before,
    refetchInterval: SHARES_EVERY_MS,
  });
  return (
    <section
      aria-labelledby="shares"
      className="min-w-0 border-line max-desktop:border-t desktop:overflow-y-auto desktop:border-s"
    >
      <div className="flex h-9 items-center border-b border-line px-4">
        <h2 id="shares" className="text-13 font-medium">
          {t('builder.share')}
        </h2>
      </div>
      <div className="flex items-center justify-between px-4 py-2">
        <Segmented
          label={t('builder.share')}
          size="small"
          value={dimension}
          onChange={(by) => onLook({ by })}
          segments={[
            { value: 'instrument', label: t('builder.byInstrument') },
            { value: 'user', label: t('builder.byUser') },
          ]}
        />
        <Segmented
          label={t('builder.time')}
          size="small"
          value={span}
          onChange={(next) => onLook({ window: next })}
          segments={WINDOWS.map((value) => ({ value, label: t(`builder.window.${value}`) }))}
        />
      </div>
      {data?.items.length === 0 && (
        <div className="h-24">
          <EmptyState title={t('builder.noShare')} text={t('builder.noShareText')} />
        </div>
      )}
      <ul className="flex flex-col">
        {data?.items.slice(0, SHOWN_MAX).map((share) => (
          <ShareRow key={share.key} share={share} />
        ))}
      </ul>
    </section>
  );
}

function ShareRow({ share: { label, ratio, value } }: { readonly share: BuilderShare }) {
  return (
    <li className="px-4 py-2">
      <span className="flex items-baseline justify-between gap-4 text-13">
        <span className="truncate normal-nums" title={label}>
          {label}
        </span>
        <span>
          <Money value={value} />{' '}
          <span className="inline-block w-16 text-end text-12 text-muted">
            {percent(ratio.toFixed(4), { decimals: 1 })}
          </span>
        </span>
      </span>
      <span aria-hidden="true" className="mt-1 block h-0.5 rounded-full bg-line">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${Math.min(100, ratio * 100)}%` }}
        />
      </span>
    </li>
  );
}

const earningId = ({ marketType, orderId }: BuilderEarning) => `${marketType} ${orderId}`;

function EarnedTable({ user }: { readonly user: string }) {
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

function ClaimsTable({ user }: { readonly user: string }) {
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
  readonly columnsOf: (t: Words) => readonly Column<Row>[];
  readonly empty: { readonly title: string; readonly text: string };
};

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

function useBuilderRows<Row extends { readonly time: number }>({
  user,
  type,
  idOf,
}: BuilderRowsOptions<Row>): Readonly<{ rows: readonly Row[]; isLoaded: boolean; older: Older }> {
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

async function allBuilderRows(tab: 'earned' | 'claimed', user: string): Promise<readonly object[]> {
  const { allBuilderMeClaimed, allBuilderMeEarned } = reader.info;
  const rows: object[] = [];
  for await (const row of tab === 'earned'
    ? allBuilderMeEarned({ user })
    : allBuilderMeClaimed({ user })) {
    rows.push(row);
  }
  return rows;
}
