import type { ActiveAssetData, ClearinghouseState, PerpMeta, Trade } from '@oddlot/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { memo, useEffect, useMemo, useState, type ReactNode } from 'react';
import { texts } from 'words:perps';
import { useStore } from 'zustand';
import { useStored } from '../../lib/browser.ts';
import { compare, divide, isDecimal, multiply, subtract, sum } from '../../lib/decimal.ts';
import { clockTime, number, percent } from '../../lib/format.ts';
import { addWords, useWords } from '../../lib/words.ts';
import {
  accountStates,
  crossUse,
  hasReached,
  marginUses,
  type MarginUse,
} from '../../market/account.ts';
import { usePerp, usePerps } from '../../market/queries.ts';
import { tapes } from '../../market/streams.ts';
import { useSession } from '../../session/session.ts';
import { Button, Spinner, Tabs } from '../../ui/controls.tsx';
import { Money } from '../../ui/figures.tsx';
import { SkipLink, useHotkey } from '../../ui/keyboard.tsx';
import { Sheet } from '../../ui/overlays.tsx';
import { preferences } from '../../ui/preferences.ts';
import { EmptyState, onDemand } from '../../ui/states.tsx';
import { classes, useWidth } from '../../ui/styles.ts';
import { BookPanel } from './book/book-panel.tsx';
import { ChartPanel } from './chart/chart-panel.tsx';
import { Panels } from './layout/panels.tsx';
import type { LayoutNode, PanelId } from './layout/layout.ts';
import { changeLayout, useLayout } from './layout/use-layout.ts';
import { MarketNotice } from './market-notice.tsx';
import { MarketInfo, MarketStrip } from './market-strip.tsx';
import { TablesPanel } from './tables/tables-panel.tsx';
import { changeDraft, clearDraft, focusTicket, TICKET, useDraft } from './ticket/draft.ts';
import { Ticket } from './ticket/ticket.tsx';
import { WatchStrip } from './watch-strip.tsx';
import {
  gridOf,
  TradedPerpContext,
  useAccountState,
  useAssetData,
  useTradedPerp,
  type Grid,
} from './use-account.ts';

addWords(texts);

export function Screen() {
  const t = useWords();
  const { market = '' }: { readonly market?: string } = useParams({ strict: false });
  const { data, error } = usePerps();
  const perp = usePerp(market);
  if (perp !== undefined) return <Terminal key={perp.index} perp={perp} />;
  if (data === undefined && error === null) {
    return (
      <div
        className="flex h-full items-center justify-center text-muted"
        aria-label={t('app.loading')}
      >
        <Spinner />
      </div>
    );
  }
  return (
    <EmptyState
      isScreen
      title={t('perps.noMarket', { name: market })}
      text={t('perps.noMarketText')}
      action={
        <Link to="/" className="text-accent hover:underline">
          {t('app.toMarkets')}
        </Link>
      }
    />
  );
}

function Terminal({ perp }: { readonly perp: PerpMeta }) {
  const t = useWords();
  const width = useWidth();
  const hasTicket = width === 'desktop' || width === 'wide';
  useHotkey('t', focusTicket);
  useEffect(() => clearDraft, []);
  const fingerprint = JSON.stringify(perp);
  // A halt does not change the steps, so charts and books are not recreated.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the fields of the grid
  const grid = useMemo(() => gridOf(perp), [perp.priceTick, perp.szDecimals]);
  const traded = useMemo(
    () => ({ perp, grid, coin: String(perp.index) }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the fingerprint stands for the market
    [fingerprint, grid],
  );
  return (
    <TradedPerpContext value={traded}>
      <div className="flex h-full min-h-0 flex-col max-tablet:h-auto max-tablet:min-h-full">
        {hasTicket && (
          <SkipLink to={TICKET} onFollow={focusTicket}>
            {t('perps.ticket.skip')}
          </SkipLink>
        )}
        {hasTicket && <WatchStrip />}
        <MarketStrip hasLayouts={hasTicket} />
        <MarketNotice />
        {width === 'phone' ? (
          <PhoneLayout />
        ) : width === 'tablet' ? (
          <TabletLayout />
        ) : (
          <DesktopLayout isWide={width === 'wide'} />
        )}
      </div>
    </TradedPerpContext>
  );
}

const SecondChart = onDemand(async () => (await import('./layout/second-chart.tsx')).SecondChart);

function DesktopLayout({ isWide }: { readonly isWide: boolean }) {
  const t = useWords();
  const layout = useLayout(isWide);
  const panels: Readonly<Record<PanelId, ReactNode>> = {
    chart: <ChartPanel />,
    chart2: <SecondChart />,
    book: <BookPanel title={t('perps.book.title')} />,
    trades: <TapePanel title={t('perps.tape.title')} />,
    tables: <TablesPanel />,
    ticket: (
      <div className="h-full overflow-y-auto">
        <Ticket />
        <AccountBox />
      </div>
    ),
  };
  return (
    <div className="min-h-0 flex-1">
      <Panels layout={layout} onChange={changeLayout} render={(panel) => panels[panel]} isMovable />
    </div>
  );
}

const TABLET: LayoutNode = {
  split: 'column',
  nodes: [
    { split: 'row', nodes: [{ panel: 'chart' }, { panel: 'book', size: 256 }] },
    { panel: 'tables', size: 240 },
  ],
};

function TabletLayout() {
  const [layout, setLayout] = useState(TABLET);
  const panels: Readonly<Partial<Record<PanelId, ReactNode>>> = {
    chart: <ChartPanel />,
    book: <BookAndTape />,
    tables: <TablesPanel />,
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="min-h-0 flex-1">
        <Panels layout={layout} onChange={setLayout} render={(panel) => panels[panel]} />
      </div>
      <TradeBar />
    </div>
  );
}

type PhoneTab = 'chart' | 'book' | 'trades' | 'info';

function PhoneLayout() {
  const t = useWords();
  const [tab, setTab] = useState<PhoneTab>('chart');
  const contents: Readonly<Record<PhoneTab, ReactNode>> = {
    chart: <ChartPanel />,
    book: <BookPanel />,
    trades: <TapePanel />,
    info: <MarketInfo />,
  };
  return (
    <>
      <div className="h-[52dvh] shrink-0">
        <Tabs
          label={t('perps.phone.label')}
          value={tab}
          onChange={setTab}
          tabs={(['chart', 'book', 'trades', 'info'] as const).map((value) => ({
            value,
            label: t(`perps.phone.${value}`),
            content: contents[value],
          }))}
        />
      </div>
      <div className="min-h-60 flex-1 border-t border-line">
        <TablesPanel />
      </div>
      <TradeBar />
    </>
  );
}

function TradeBar() {
  const t = useWords();
  const { perp } = useTradedPerp();
  const [isOpen, setIsOpen] = useState(false);
  const open = (side: 'buy' | 'sell'): void => {
    changeDraft({ side });
    setIsOpen(true);
  };
  return (
    <div className="sticky bottom-0 z-20 grid shrink-0 grid-cols-2 gap-2 border-t border-line bg-panel p-2">
      <Button kind="buy" size="large" onClick={() => open('buy')}>
        {t('perps.ticket.oneWay.buy')}
      </Button>
      <Button kind="sell" size="large" onClick={() => open('sell')}>
        {t('perps.ticket.oneWay.sell')}
      </Button>
      <Sheet title={perp.name} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <div className="-m-3">
          <Ticket isInSheet />
          <AccountBox />
        </div>
      </Sheet>
    </div>
  );
}

function BookAndTape() {
  const t = useWords();
  const [tab, setTab] = useStored<'book' | 'trades'>('bookTab', 'book');
  return (
    <Tabs
      label={t('perps.book.tabs')}
      value={tab}
      onChange={setTab}
      tabs={[
        { value: 'book', label: t('perps.book.title'), content: <BookPanel /> },
        { value: 'trades', label: t('perps.tape.title'), content: <TapePanel /> },
      ]}
    />
  );
}

const ROWS = 40;
const LARGE = '25000';

function TapePanel({ title }: { readonly title?: string }) {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const { isLoaded, trades } = tapes.use(coin, (state) => state);
  const rows = useMemo(() => trades.slice(0, ROWS), [trades]);
  if (isLoaded && rows.length === 0) {
    return <EmptyState title={t('perps.tape.empty')} text={t('perps.tape.emptyText')} />;
  }
  return (
    <div
      className="h-full overflow-y-auto"
      role="group"
      tabIndex={0}
      aria-label={t('perps.tape.label')}
    >
      <table className="w-full text-12">
        <thead className="sticky top-0 z-10 bg-panel shadow-[0_1px_0_var(--line)]">
          <tr className={classes('text-11 text-muted', title === undefined ? 'h-6' : 'h-9')}>
            <th className="ps-3 text-start max-tablet:ps-4 font-normal">
              {title === undefined ? (
                t('perps.column.price')
              ) : (
                <h2 className="text-13 text-text">{title}</h2>
              )}
            </th>
            <th className="max-w-24 truncate text-end font-normal">
              {t('perps.tape.size', { base: perp.baseCurrency })}
            </th>
            <th className="pe-3 text-end font-normal max-tablet:pe-4">{t('perps.column.time')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((trade) => (
            <Row key={trade.tid} trade={trade} grid={grid} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Row = memo(function Row({ grid, trade }: { readonly grid: Grid; readonly trade: Trade }) {
  const t = useWords();
  const { liquidation, px, side, sz, time } = trade;
  const isLarge = compare(multiply(px, sz), LARGE) >= 0;
  return (
    <tr className={classes('h-5', isLarge && 'font-semibold')}>
      <td className={classes('ps-3 max-tablet:ps-4', side === 'B' ? 'text-buy' : 'text-sell')}>
        {number(px, { decimals: grid.priceDecimals })}
        {liquidation === true && (
          <span
            title={t('perps.tape.liquidation')}
            className="ms-1.5 rounded bg-warning/15 px-1 text-11 font-normal text-warning"
          >
            {t('perps.tape.liquidationShort')}
          </span>
        )}
      </td>
      <td className="text-end">{number(sz, { decimals: grid.sizeDecimals })}</td>
      <td className="pe-3 text-end text-muted max-tablet:pe-4">{clockTime(time)}</td>
    </tr>
  );
});

function AccountBox() {
  const t = useWords();
  const user = useSession()?.address;
  const { coin } = useTradedPerp();
  const asset = useAssetData(coin);
  const state = useAccountState();
  if (user === undefined) return null;
  return (
    <section
      aria-label={t('perps.box.label')}
      className="flex flex-col gap-3 border-t border-line p-3 text-12"
    >
      <h2 className="flex items-baseline justify-between text-13">
        {t('perps.box.label')}
        <span className="text-11 text-muted">USDC</span>
      </h2>
      <MarginBars state={state} />
      <Perps state={state} asset={asset} />
      <Outcomes user={user} />
      <Ways />
    </section>
  );
}

const METERS_MAX = 4;

/** Shows the margin usage of the cross account and of each isolated position, highest first. */
function MarginBars({ state }: { readonly state: ClearinghouseState | undefined }) {
  const t = useWords();
  const uses = state === undefined ? [] : marginUses(state);
  return (
    <div className="flex flex-col gap-2">
      {uses.length === 0 && <MarginBar use={undefined} isLoaded={state !== undefined} />}
      {uses.slice(0, METERS_MAX).map((use) => (
        <MarginBar key={use.market ?? ''} use={use} isLoaded />
      ))}
      <p className="-mt-1.5 flex justify-between gap-2 text-11 text-muted">
        <span>
          {uses.length > METERS_MAX && t('perps.box.more', { count: uses.length - METERS_MAX })}
        </span>
        <span>{t('perps.box.end')}</span>
      </p>
    </div>
  );
}

type MarginBarProps = { readonly use: MarginUse | undefined; readonly isLoaded: boolean };

function MarginBar({ use, isLoaded }: MarginBarProps) {
  const t = useWords();
  const warnFrom = useStore(preferences, ({ marginShownFrom }) => marginShownFrom);
  const isNear = use !== undefined && hasReached(use, warnFrom);
  const none = isLoaded ? t('perps.box.noPositions') : '–';
  const shown = use === undefined ? none : percent(use.share, { decimals: 1 });
  const label =
    use?.market === undefined
      ? t('perps.box.ratio')
      : t('perps.box.ratioOf', { market: use.market });
  const reached = use === undefined ? '0' : multiply(use.share, '100');
  return (
    <div>
      <p className="flex justify-between gap-2">
        <span className="truncate text-muted">{label}</span>
        <span className={classes('shrink-0 tabular-nums', isNear && 'text-warning')}>{shown}</span>
      </p>
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Number(reached)}
        aria-valuetext={shown}
        className="mt-1 h-1.5 overflow-hidden rounded bg-raised"
      >
        <div
          className={classes('h-full', isNear ? 'bg-warning' : 'bg-accent')}
          style={{ width: `${reached}%` }}
        />
      </div>
    </div>
  );
}

type PerpsProps = {
  readonly state: ClearinghouseState | undefined;
  readonly asset: ActiveAssetData | undefined;
};

function Perps({ state, asset }: PerpsProps) {
  const t = useWords();
  const { side } = useDraft();
  const summary = state?.marginSummary;
  const free = asset?.availableToTrade[side === 'buy' ? 0 : 1];
  const isLess =
    isDecimal(free) && isDecimal(state?.withdrawable) && compare(free, state.withdrawable) < 0;
  const leverage =
    summary === undefined ? undefined : divide(summary.totalNtlPos, summary.accountValue, 4);
  const pnl = state && sum(state.assetPositions.map(({ position }) => position.unrealizedPnl));
  return (
    <dl className="flex flex-col gap-1">
      <Line label={t('perps.box.equity')}>
        <Money value={summary?.accountValue} />
      </Line>
      <Line label={t('perps.box.free')} note={isLess ? t('perps.box.freeNote') : undefined}>
        <Money value={free} />
      </Line>
      <Line label={t('perps.box.withdrawable')}>
        <Money value={state?.withdrawable} />
      </Line>
      {state !== undefined && crossUse(state) !== undefined && (
        <Line label={t('perps.box.maintenance')}>
          <Money value={state.crossMaintenanceMarginUsed} />
        </Line>
      )}
      <Line label={t('perps.box.leverage')}>
        {leverage === undefined ? '–' : `${number(leverage, { decimals: 2 })}×`}
      </Line>
      <Line label={t('perps.box.pnl')}>
        <Money value={pnl} isSigned isColoured />
      </Line>
    </dl>
  );
}

function Outcomes({ user }: { readonly user: string }) {
  const t = useWords();
  const state = accountStates.use({ user, accountType: 'outcome' }, (account) => account.state);
  const cash = state?.withdrawable;
  const shares = state && sum(state.assetPositions.map(({ position }) => position.positionValue));
  const held =
    state === undefined || cash === undefined || shares === undefined
      ? undefined
      : subtract(subtract(state.marginSummary.accountValue, cash), shares);
  return (
    <dl className="flex flex-col gap-1 border-t border-line pt-3">
      <Line label={t('perps.box.cash')}>
        <Money value={cash} />
      </Line>
      <Line label={t('perps.box.shares')}>
        <Money value={shares} />
      </Line>
      {held !== undefined && Number(held) > 0 && (
        <Line label={t('perps.box.reserved')}>
          <Money value={held} />
        </Line>
      )}
    </dl>
  );
}

const WAYS = ['deposit', 'transfer', 'withdraw'] as const;

function Ways() {
  const t = useWords();
  const session = useSession();
  if (session === undefined || session.kind === 'spectator') return null;
  return (
    <p className="grid grid-cols-3 gap-2">
      {WAYS.map((way) => (
        <Link
          key={way}
          to="/account"
          search={{ tab: 'money', do: way } as object}
          className="flex h-8 items-center justify-center rounded border border-line bg-raised hover:border-faint"
        >
          {t(`perps.box.way.${way}`)}
        </Link>
      ))}
    </p>
  );
}

type LineProps = Readonly<{ label: string; note?: string | undefined; children: ReactNode }>;

function Line({ label, note, children }: LineProps) {
  return (
    <div className="flex justify-between gap-2">
      <dt className="text-muted">
        <span>{label}</span>
        {note !== undefined && <span className="block text-11 text-balance">{note}</span>}
      </dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
