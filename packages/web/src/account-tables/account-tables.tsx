import type { AssetPosition, Fill, OpenOrder, OutcomeOpenOrder, TriggerOrder } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { texts } from 'words:portfolio';
import { csvOf, saveFile } from '../lib/browser.ts';
import { compare, divide, isDecimal, magnitude, multiply, sign, subtract } from '../lib/decimal.ts';
import { cents, number, percent } from '../lib/format.ts';
import { addWords, useWords, type Words } from '../lib/words.ts';
import { fillId, useFills } from '../market/account-lists.ts';
import { accountStates, openOrders, openOutcomeOrders } from '../market/account.ts';
import { OnGrid, SizeOnGrid } from '../market/cells.tsx';
import { reader } from '../market/venue.ts';
import { Tabs } from '../ui/controls.tsx';
import { Badge, colourOf, Fact, Money, Percent } from '../ui/figures.tsx';
import { Dialog } from '../ui/overlays.tsx';
import { useIsNarrow } from '../ui/styles.ts';
import { Stacked, Table, type Column } from '../ui/table.tsx';
import {
  isBought,
  Market,
  minuteColumn,
  Nothing,
  numberColumn,
  OrderOrigin,
  secondColumn,
  Sided,
  STACKED_ROW_PX,
  TradedPrice,
  TradedSize,
} from './cells.tsx';
import { FillsTable } from './fills-table.tsx';
import { HistoryTable } from './history-table.tsx';
import { FundingTable, LedgerTable } from './ledger-table.tsx';
import { REPORT_KEY, ReportButton, useReport } from './report/report-button.tsx';

addWords(texts);

const TABS = [
  'positions',
  'shares',
  'orders',
  'triggers',
  'fills',
  'history',
  'funding',
  'ledger',
  'settlements',
] as const;
type Tab = (typeof TABS)[number];

const EXPORTS = {
  fills: 'fills',
  history: 'orders',
  funding: 'fundings',
  ledger: 'ledger',
} as const;

const CONTENTS = {
  positions: PositionsTable,
  shares: SharesTable,
  orders: OrdersTable,
  triggers: TriggersTable,
  fills: FillsTable,
  history: HistoryTable,
  funding: FundingTable,
  ledger: LedgerTable,
  settlements: SettlementsTable,
} as const;

type AccountTablesProps = {
  readonly user: string;
  readonly chosen: unknown;
  readonly onChoose: (tab: string) => void;
  readonly more?: { readonly value: string; readonly label: string; readonly content: ReactNode };
};

export function AccountTables({ user, chosen, onChoose, more }: AccountTablesProps) {
  const t = useWords();
  const isMore = more !== undefined && chosen === more.value;
  const tab = TABS.find((each) => each === chosen) ?? 'positions';
  const positions = accountStates.use(
    { user, accountType: 'perp' },
    ({ state }) => state?.assetPositions.length,
  );
  const shares = accountStates.use(
    { user, accountType: 'outcome' },
    ({ state }) => state?.assetPositions.length,
  );
  const perpOrders = openOrders.use(user, ({ orders }) => orders.length);
  const triggers = openOrders.use(user, (orders) => orders.triggers.length);
  const outcomeOrders = openOutcomeOrders.use(user, ({ orders }) => orders.length);
  const counts: Partial<Record<Tab, number | undefined>> = {
    positions,
    shares,
    triggers,
    orders: perpOrders + outcomeOrders,
  };
  return (
    <Tabs
      label={t('portfolio.tables')}
      value={isMore ? more.value : tab}
      onChange={onChoose}
      tabs={[
        ...TABS.map((value) => {
          const Content = CONTENTS[value];
          return {
            value,
            label: t(`portfolio.tab.${value}`),
            count: counts[value],
            content: <Content user={user} />,
          };
        }),
        ...(more === undefined ? [] : [more]),
      ]}
      aside={isMore ? undefined : <CsvLink tab={tab} user={user} />}
    />
  );
}

function CsvLink({ tab, user }: { readonly tab: Tab; readonly user: string }) {
  const t = useWords();
  const looks = {
    'aria-label': t('portfolio.csvOf', { name: t(`portfolio.tab.${tab}`) }),
    className: '-my-2 py-2 text-12 text-muted hover:text-text',
  };
  if (tab in EXPORTS) {
    return (
      <a {...looks} href={exportAddress(EXPORTS[tab as keyof typeof EXPORTS], user)} download>
        {t('portfolio.csv')}
      </a>
    );
  }
  const save = async (): Promise<void> => {
    const rows =
      tab === 'settlements'
        ? await allSettlements(user)
        : currentRows(tab as Exclude<Tab, keyof typeof EXPORTS | 'settlements'>, user);
    saveFile(`${tab}.csv`, csvOf(rows));
  };
  return (
    <button type="button" {...looks} onClick={() => void save()}>
      {t('portfolio.csv')}
    </button>
  );
}

function exportAddress(name: string, user: string): string {
  const both = name === 'fundings' ? '' : '&accountType=perp,outcome';
  return `/export/${name}?user=${user}${both}`;
}

function currentRows(
  name: 'positions' | 'shares' | 'orders' | 'triggers',
  user: string,
): readonly object[] {
  switch (name) {
    case 'positions':
    case 'shares': {
      const accountType = name === 'positions' ? 'perp' : 'outcome';
      const state = stateNow(accountStates.acquire({ user, accountType })).state;
      return state?.assetPositions.map(({ position, type }) => ({ ...position, type })) ?? [];
    }
    case 'orders':
      return [
        ...stateNow(openOrders.acquire(user)).orders,
        ...stateNow(openOutcomeOrders.acquire(user)).orders,
      ];
    case 'triggers':
      return stateNow(openOrders.acquire(user)).triggers;
  }
}

function stateNow<State>(held: { readonly store: { getState(): State }; release(): void }): State {
  held.release();
  return held.store.getState();
}

type Row = OpenOrder | OutcomeOpenOrder;

function OrdersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const perp = openOrders.use(user, ({ isLoaded, orders }) => ({ isLoaded, orders }));
  const outcome = openOutcomeOrders.use(user, (state) => state);
  const rows = useMemo<readonly Row[]>(
    () =>
      [...perp.orders, ...outcome.orders].sort((left, right) => right.timestamp - left.timestamp),
    [perp.orders, outcome.orders],
  );
  const { dialog, open } = useReport(user);
  const columns = useMemo(() => orderColumns(user, t, open), [t, user, open]);
  return (
    <>
      <Table
        label={t('portfolio.tab.orders')}
        columns={columns}
        rows={rows}
        rowKey={({ marketType, oid }) => `${marketType} ${oid}`}
        stackedRowHeight={STACKED_ROW_PX}
        rowHotkey={{ key: REPORT_KEY, act: ({ oid }) => open(oid) }}
        empty={<Nothing name="orders" user={user} isLoaded={perp.isLoaded && outcome.isLoaded} />}
      />
      {dialog}
    </>
  );
}

function orderColumns(user: string, t: Words, open: (oid: number) => void): readonly Column<Row>[] {
  return [
    secondColumn(
      ({ timestamp }) => timestamp,
      t,
      (order, time) => (
        <OrderOrigin user={user} order={order}>
          {time}
        </OrderOrigin>
      ),
    ),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: (order) => (
        <Market
          symbol={order.symbol}
          slug={'eventSlug' in order ? order.eventSlug : undefined}
          title={'title' in order ? order.title : undefined}
          isOutcome={order.marketType === 'outcome'}
        />
      ),
    },
    {
      id: 'side',
      header: t('portfolio.side'),
      width: '110px',
      phoneWidth: '64px',
      cell: (order) => (
        <Sided isBuy={isBought(order)}>
          {t(isBought(order) ? 'portfolio.buy' : 'portfolio.sell')}
          {'outcome' in order ? ` ${order.outcome}` : ''}
        </Sided>
      ),
    },
    numberColumn(
      'price',
      t('portfolio.price'),
      (order) => (
        <ReportButton oid={order.oid} onOpen={open}>
          <TradedPrice of={order} value={order.limitPx} />
        </ReportButton>
      ),
      { width: '110px', phoneWidth: '84px' },
    ),
    numberColumn(
      'size',
      t('portfolio.size'),
      (order) => <TradedSize of={order} value={order.origSz} />,
      { from: 'tablet' },
    ),
    numberColumn(
      'filled',
      t('portfolio.filled'),
      (order) => <TradedSize of={order} value={subtract(order.origSz, order.sz)} />,
      { from: 'tablet' },
    ),
    numberColumn('kind', t('portfolio.kind'), ({ tif }) => tif, { from: 'tablet', width: '80px' }),
  ];
}

function TriggersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, triggers } = openOrders.use(user, (state) => state);
  const { dialog, open } = useReport(user);
  const columns = useMemo(() => triggerColumns(t, open), [t, open]);
  return (
    <>
      <Table
        label={t('portfolio.tab.triggers')}
        columns={columns}
        rows={triggers}
        rowKey={({ oid }) => oid}
        rowHotkey={{ key: REPORT_KEY, act: ({ oid }) => open(oid) }}
        empty={<Nothing name="triggers" user={user} isLoaded={isLoaded} />}
      />
      {dialog}
    </>
  );
}

function triggerColumns(t: Words, open: (oid: number) => void): readonly Column<TriggerOrder>[] {
  return [
    minuteColumn(({ createTime }) => createTime, t),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ coin }) => <Market symbol={coin} isOutcome={false} />,
    },
    {
      id: 'side',
      header: t('portfolio.side'),
      width: '80px',
      phoneWidth: '56px',
      cell: ({ side }) => (
        <Sided isBuy={side === 'B'}>{t(side === 'B' ? 'portfolio.buy' : 'portfolio.sell')}</Sided>
      ),
    },
    numberColumn(
      'trigger',
      t('portfolio.trigger'),
      ({ oid, triggerPx }) => (
        <ReportButton oid={oid} onOpen={open}>
          {number(triggerPx)}
        </ReportButton>
      ),
      { phoneWidth: '84px' },
    ),
    numberColumn(
      'price',
      t('portfolio.price'),
      ({ limitPx, orderType }) =>
        orderType === 'Market' ? (
          <span className="text-muted">{t('portfolio.marketPrice')}</span>
        ) : (
          number(limitPx)
        ),
      { from: 'tablet' },
    ),
    numberColumn('size', t('portfolio.size'), ({ sz }) => number(sz), { from: 'tablet' }),
  ];
}

const NONE: readonly AssetPosition[] = [];
const TITLES_MS = 15_000;

function SharesTable({ user }: { readonly user: string }) {
  const t = useWords();
  // The numbers come from the stream. The titles come from the query, which is repeated after each
  // update.
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
      { from: 'tablet', width: '104px' },
    ),
    numberColumn('worth', t('portfolio.worth'), ({ position }) => <Worth position={position} />, {
      width: '104px',
      phoneWidth: '80px',
    }),
    numberColumn(
      'pnl',
      t('portfolio.pnl'),
      ({ position }) => <Money value={position.unrealizedPnl} isSigned isColoured />,
      { width: '104px', from: 'tablet' },
    ),
    ...endColumns(t),
  ];
}

/** On phones, the PnL is below the value, because it has no space for its own column. */
function Worth({ position }: Pick<AssetPosition, 'position'>) {
  const value = <Money value={position.positionValue} />;
  const pnl = <Money value={position.unrealizedPnl} isSigned isColoured />;
  return useIsNarrow() ? <Stacked below={pnl}>{value}</Stacked> : value;
}

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

function SettlementsTable({ user }: { readonly user: string }) {
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

async function allSettlements(user: string): Promise<readonly Fill[]> {
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

function PositionsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const state = accountStates.use({ user, accountType: 'perp' }, (account) => account.state);
  const equity = state?.marginSummary.accountValue;
  const columns = useMemo(() => columnsOf(equity, t), [equity, t]);
  return (
    <Table
      label={t('portfolio.tab.positions')}
      columns={columns}
      rows={state?.assetPositions ?? NONE}
      rowKey={({ position, type }) =>
        `${position.asset} ${type === 'Hedge' ? sign(position.szi) : ''}`
      }
      empty={<Nothing name="positions" user={user} isLoaded={state !== undefined} />}
    />
  );
}

function columnsOf(equity: string | undefined, t: Words): readonly Column<AssetPosition>[] {
  return [
    {
      id: 'market',
      header: t('portfolio.market'),
      width: '232px',
      tabletWidth: '200px',
      phoneWidth: '136px',
      cell: (row) => <Held row={row} />,
    },
    numberColumn('size', t('portfolio.size'), ({ position: { asset, szi } }) => (
      <SizeOnGrid coin={asset} value={szi} />
    )),
    numberColumn(
      'entry',
      t('portfolio.entry'),
      ({ position }) => <OnGrid coin={position.asset} value={position.entryPx} />,
      { from: 'tablet' },
    ),
    numberColumn(
      'mark',
      t('portfolio.mark'),
      ({ position }) => <OnGrid coin={position.asset} value={position.markPx} />,
      { from: 'tablet' },
    ),
    numberColumn(
      'worth',
      t('portfolio.worth'),
      ({ position }) => <Money value={position.positionValue} />,
      {
        from: 'tablet',
        compare: (left, other) =>
          compare(left.position.positionValue, other.position.positionValue),
      },
    ),
    numberColumn(
      'pnl',
      t('portfolio.pnl'),
      ({ position: { returnOnEquity, unrealizedPnl } }) => (
        <>
          <Money value={unrealizedPnl} isSigned isColoured />
          <span className={`text-12 max-desktop:hidden ${colourOf(returnOnEquity)}`}>
            {' '}
            ({percent(returnOnEquity, { decimals: 1, isSigned: true })})
          </span>
        </>
      ),
      {
        width: '170px',
        tabletWidth: '104px',
        phoneWidth: '100px',
        compare: (left, other) =>
          compare(left.position.unrealizedPnl, other.position.unrealizedPnl),
      },
    ),
    ...marginColumns(equity, t),
  ];
}

function Held({ row }: { readonly row: AssetPosition }) {
  const t = useWords();
  const { coin, szi } = row.position;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <span className="flex items-center gap-2">
      <Sided isBuy={sign(szi) > 0}>
        <span className="max-tablet:hidden">
          <Market symbol={coin} isOutcome={false} />
        </span>
        <button
          type="button"
          className="underline decoration-line underline-offset-4 tablet:hidden"
          onClick={() => setIsOpen(true)}
        >
          {coin}
        </button>
      </Sided>
      {isOpen && <PositionDetails row={row} onClose={() => setIsOpen(false)} />}
      <span className="max-tablet:hidden">
        <Badge>{wayOf(row, t)}</Badge>
      </span>
      <span className="text-11 text-muted tablet:hidden">{t(directionOf(row))}</span>
    </span>
  );
}

/** Returns the direction in words, because not everyone can tell the colours apart. */
function wayOf(row: AssetPosition, t: Words): string {
  const { type, value } = row.position.leverage;
  return `${t(directionOf(row))} ${value}× ${t(`portfolio.${type}`)}`;
}

function directionOf({ position }: AssetPosition): 'portfolio.long' | 'portfolio.short' {
  return sign(position.szi) > 0 ? 'portfolio.long' : 'portfolio.short';
}

function marginColumns(equity: string | undefined, t: Words): readonly Column<AssetPosition>[] {
  return [
    numberColumn(
      'liquidation',
      t('portfolio.liquidation'),
      ({ position: { asset, liquidationPx, markPx } }) => (
        <>
          <OnGrid coin={asset} value={liquidationPx} />
          <span className="text-12 text-muted max-desktop:hidden">
            {' '}
            {distance(markPx, liquidationPx)}
          </span>
        </>
      ),
      { from: 'tablet', width: '160px', tabletWidth: '104px' },
    ),
    numberColumn(
      'margin',
      t('portfolio.margin'),
      ({ position }) => <Money value={position.marginUsed} />,
      { from: 'desktop' },
    ),
    numberColumn(
      'funding',
      t('portfolio.funding'),
      ({ position }) => <Money value={position.cumFunding.sinceOpen} isSigned />,
      { from: 'desktop' },
    ),
    numberColumn(
      'part',
      t('portfolio.part'),
      ({ position }) => (
        <Percent
          value={equity === undefined ? undefined : divide(position.marginUsed, equity, 6)}
          decimals={1}
          isSigned={false}
          isColoured={false}
        />
      ),
      { from: 'desktop', width: '96px' },
    ),
  ];
}

/** Returns the distance between two prices as a percentage of the first. */
function distance(from: string | null | undefined, to: string | null | undefined): string {
  if (!isDecimal(from) || !isDecimal(to) || sign(from) === 0) return '';
  return percent(divide(subtract(to, from), from, 6), { decimals: 1, isSigned: true });
}

type PositionDetailsProps = { readonly row: AssetPosition; readonly onClose: () => void };

function PositionDetails({ row, onClose }: PositionDetailsProps) {
  const t = useWords();
  const { position } = row;
  const { asset, coin, returnOnEquity } = position;
  return (
    <Dialog title={coin} isOpen onClose={onClose}>
      <dl className="flex flex-col gap-2">
        <Fact name={t('portfolio.size')}>
          <SizeOnGrid coin={asset} value={position.szi} />
        </Fact>
        <Fact name={t('portfolio.entry')}>
          <OnGrid coin={asset} value={position.entryPx} />
        </Fact>
        <Fact name={t('portfolio.mark')}>
          <OnGrid coin={asset} value={position.markPx} />
        </Fact>
        <Fact name={t('portfolio.worth')}>
          <Money value={position.positionValue} />
        </Fact>
        <Fact name={t('portfolio.pnl')}>
          <Money value={position.unrealizedPnl} isSigned isColoured />{' '}
          <span className={colourOf(returnOnEquity)}>
            ({percent(returnOnEquity, { decimals: 1, isSigned: true })})
          </span>
        </Fact>
        <Fact name={t('portfolio.liquidation')}>
          <OnGrid coin={asset} value={position.liquidationPx} />
        </Fact>
        <Fact name={t('portfolio.margin')}>
          <Money value={position.marginUsed} /> <span className="text-muted">{wayOf(row, t)}</span>
        </Fact>
        <Fact name={t('portfolio.funding')}>
          <Money value={position.cumFunding.sinceOpen} isSigned />
        </Fact>
      </dl>
      <p className="mt-4">
        <Link to={`/trade/${coin}` as '/'} className="text-accent hover:underline">
          {t('portfolio.toTerminal', { market: coin })}
        </Link>
      </p>
    </Dialog>
  );
}
