import type {
  Leg,
  Level,
  OutcomeEventMeta,
  OutcomeMarketMeta,
  OutcomeOpenOrder,
} from '@oddlot/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { REPORT_KEY, ReportButton, useReport } from '../../account-tables/report/report-button.tsx';
import { divide, multiply, subtract } from '../../lib/decimal.ts';
import { explainError } from '../../lib/explain-error.ts';
import {
  cents,
  probability,
  clockTime,
  dateTime,
  money,
  number,
  percent,
  wholeDate,
} from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { openOutcomeOrders } from '../../market/account.ts';
import { priceDecimals, sizeDecimals } from '../../market/cells.tsx';
import { OutcomeInterest } from '../../market/interest/interest-line.tsx';
import { averageOf, BookHalf, type DepthLevel } from '../../market/ladder/book-half.tsx';
import { useSimulated } from '../../market/queries.ts';
import { books, tapes, type BookState } from '../../market/streams.ts';
import { reader } from '../../market/venue.ts';
import { useSession } from '../../session/session.ts';
import { Button, Segmented, Tabs } from '../../ui/controls.tsx';
import { Who } from '../../ui/figures.tsx';
import { pressesKey } from '../../ui/keyboard.tsx';
import { notify } from '../../ui/overlays.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useIsWide } from '../../ui/styles.ts';
import { ladderOf, legLabel, legName, legPrice, nameOf, wasNeverTraded } from './market-facts.ts';
import type { Choosing } from './trade-side.tsx';

type EventPanelsProps = {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly mark: string | undefined;
  readonly choosing: Choosing;
};

export function EventPanels({ event, market, mark, choosing }: EventPanelsProps) {
  const { choice, choose, panel, setPanel, takePrice } = choosing;
  const t = useWords();
  const isWide = useIsWide();
  const user = useSession()?.address;
  const all = openOutcomeOrders.use(user, ({ orders }) => orders);
  const ids = new Set(event.markets.map(({ instrument_id: id }) => id));
  const orders = all.filter(({ instrumentId }) => ids.has(instrumentId));
  const activity = <Activity market={market} />;
  const { leg } = choice;
  const onLeg = (next: Leg): void => choose({ leg: next, cents: undefined });
  const seen = { event, market, mark, leg, onLeg, onPrice: takePrice, orders };
  const tabs = [
    {
      value: 'book' as const,
      label: t(isWide ? 'outcomes.panels.bookAndTrades' : 'outcomes.panels.book'),
      content: (
        <div className="grid gap-x-8 px-3 pt-2 pb-4 desktop:grid-cols-2">
          <OutcomeBook {...seen} />
          {isWide && activity}
        </div>
      ),
    },
    {
      value: 'activity' as const,
      label: t('outcomes.panels.activity'),
      content: <div className="px-3 pt-2 pb-4">{activity}</div>,
    },
    {
      value: 'holders' as const,
      label: t('outcomes.panels.holders'),
      content: <Holders key={market.instrument_id} market={market} />,
    },
    {
      value: 'orders' as const,
      label: t('outcomes.panels.orders'),
      count: orders.length,
      content: <OwnOrders event={event} orders={orders} />,
    },
    {
      value: 'rules' as const,
      label: t('outcomes.panels.rules'),
      content: <Rules event={event} market={market} />,
    },
  ];
  return (
    <div className="mt-6 border-t border-line desktop:px-5">
      <Tabs
        label={t('outcomes.panels.label')}
        value={isWide && panel === 'activity' ? 'book' : panel}
        onChange={setPanel}
        tabs={isWide ? tabs.filter(({ value }) => value !== 'activity') : tabs}
      />
    </div>
  );
}

const SHOWN = 17;
const TRADE_COLUMNS = 'grid grid-cols-[4.5rem_1fr_1fr_1fr] gap-3 px-2';

function Activity({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  const isIdle = wasNeverTraded(market);
  const { isLoaded, trades } = tapes.use(String(market.instrument_id), (state) => state);
  return (
    <section aria-label={t('outcomes.panels.activity')} className="min-w-0">
      <h2 className="flex h-9 items-center text-12 text-muted">{t('outcomes.activity.title')}</h2>
      {isLoaded && trades.length === 0 ? (
        <EmptyState
          title={t(isIdle ? 'outcomes.activity.never' : 'outcomes.activity.empty')}
          text={isIdle ? undefined : t('outcomes.activity.emptyText')}
        />
      ) : (
        <>
          <div className={`${TRADE_COLUMNS} h-6 items-center text-11 text-muted`}>
            <span>{t('outcomes.activity.time')}</span>
            <span>{t('outcomes.activity.bought')}</span>
            <span className="text-end">{t('outcomes.book.shares')}</span>
            <span className="text-end">{t('outcomes.activity.value')}</span>
          </div>
          <ol>
            {trades.slice(0, SHOWN).map(({ px, side, sz, tid, time }) => {
              const leg = side === 'B' ? 'Yes' : 'No';
              const price = legPrice(px, leg);
              return (
                <li key={tid} className={`${TRADE_COLUMNS} h-[18px] items-center text-12`}>
                  <span className="text-muted" title={wholeDate(time)}>
                    {clockTime(time)}
                  </span>
                  <span className={leg === 'Yes' ? 'truncate text-buy' : 'truncate text-sell'}>
                    {legLabel(market, leg)} {cents(price, priceDecimals(market))}
                  </span>
                  <span className="text-end">{number(sz, { decimals: sizeDecimals(market) })}</span>
                  <span className="text-end text-muted">{money(multiply(sz, price))}</span>
                </li>
              );
            })}
          </ol>
        </>
      )}
    </section>
  );
}

const AGAIN_MS = 10_000;
const HOLDER_COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_4rem_3.25rem_3rem] items-center gap-2 px-2 tablet:grid-cols-[minmax(0,1fr)_5rem_4rem_4.5rem] tablet:gap-3';

function Holders({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  const { instrument_id: instrumentId, question } = market;
  const title = t('outcomes.holders.interest');
  return (
    <div className="grid gap-x-8 gap-y-4 px-3 pt-2 pb-4 desktop:grid-cols-2">
      <OfLeg market={market} leg="Yes" />
      <OfLeg market={market} leg="No" />
      <section aria-label={title} className="min-w-0 desktop:col-span-2">
        <h2 className="flex h-9 items-center text-12 text-muted">{title}</h2>
        <div className="h-44">
          <OutcomeInterest instrumentId={instrumentId} name={question} />
        </div>
      </section>
    </div>
  );
}

function OfLeg({ market, leg }: { readonly market: OutcomeMarketMeta; readonly leg: Leg }) {
  const t = useWords();
  const { instrument_id: instrumentId } = market;
  const simulated = useSimulated();
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['outcomeHolders', instrumentId, leg],
    queryFn: ({ pageParam: cursor, signal }) =>
      reader.info.outcomeHolders({ instrumentId, outcome: leg, cursor }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: AGAIN_MS,
  });
  const first = data?.pages[0];
  const rows = [
    ...new Map(
      (data?.pages.flatMap((page) => page.rows) ?? []).toReversed().map((row) => [row.user, row]),
    ).values(),
  ].toReversed();
  const name = legLabel(market, leg);
  const title = t('outcomes.holders.of', { leg: name });
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="flex h-9 items-center justify-between gap-3 text-12 text-muted">
        <span className={leg === 'Yes' ? 'truncate text-buy' : 'truncate text-sell'}>{name}</span>
        {first !== undefined && (
          <span className="shrink-0">
            {t('outcomes.holders.sum', {
              count: first.holders,
              shares: number(first.shares, { decimals: 0 }),
            })}
          </span>
        )}
      </h2>
      {first !== undefined && rows.length === 0 ? (
        <EmptyState title={t('outcomes.holders.empty')} text={t('outcomes.holders.emptyText')} />
      ) : (
        <>
          <div className={`${HOLDER_COLUMNS} h-6 text-11 text-muted`}>
            <span>{t('outcomes.holders.account')}</span>
            <span className="text-end">{t('outcomes.book.shares')}</span>
            <span className="text-end">{t('outcomes.holders.part')}</span>
            <span className="text-end">{t('outcomes.holders.cost')}</span>
          </div>
          <ol aria-label={title}>
            {rows.map(({ entryPx, sz, user }) => (
              <li key={user} className={`${HOLDER_COLUMNS} h-7 border-b border-line/50 text-12`}>
                <Who user={user} isSimulated={simulated.has(user)} />
                <span className="text-end">{number(sz, { decimals: sizeDecimals(market) })}</span>
                <span className="text-end text-muted">
                  {percent(partOf(sz, first?.shares), { decimals: 1 })}
                </span>
                <span
                  className="text-end text-muted"
                  title={t('outcomes.holders.costTitle', { amount: money(multiply(sz, entryPx)) })}
                >
                  {cents(entryPx)}
                </span>
              </li>
            ))}
          </ol>
          {hasNextPage && (
            <Button size="small" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('outcomes.holders.more')}
            </Button>
          )}
        </>
      )}
    </section>
  );
}

function partOf(size: string, all: string | undefined): string | undefined {
  return all === undefined ? undefined : divide(size, all, 6);
}

type RulesProps = { readonly event: OutcomeEventMeta; readonly market: OutcomeMarketMeta };

function Rules({ event, market }: RulesProps) {
  const t = useWords();
  const delayMs = market.trading.order_delay_ms;
  return (
    <div className="grid max-w-4xl gap-x-8 gap-y-4 p-4 text-13 tablet:grid-cols-[1fr_280px]">
      <div className="flex min-w-0 flex-col gap-3 break-words whitespace-pre-line">
        <h2 className="text-15 font-semibold">{market.question}</h2>
        {textsOf(event, market).map((text) => (
          <p key={text}>{text}</p>
        ))}
        <p className="text-muted">
          {t('outcomes.rules.pays', { yes: legName(market, 'Yes'), no: legName(market, 'No') })}
        </p>
        {event.mutually_exclusive && <p className="text-muted">{t('outcomes.rules.exclusive')}</p>}
        {delayMs > 0 && (
          <p className="text-muted">{t('outcomes.rules.delay', { ms: number(String(delayMs)) })}</p>
        )}
      </div>
      <dl className="flex flex-col gap-1 text-12">
        <Fact label={t('outcomes.rules.source')}>{market.resolution_source}</Fact>
        <Fact label={t('outcomes.rules.opens')}>{wholeDate(market.start_time)}</Fact>
        <Fact label={t('outcomes.rules.closes')}>{wholeDate(market.end_time)}</Fact>
        <Fact label={t('outcomes.rules.tick')}>
          {cents(market.price_tick, priceDecimals(market))}
        </Fact>
        <Fact label={t('outcomes.rules.least')}>
          {t('outcomes.rules.leastOf', { size: number(market.min_order_size) })}
        </Fact>
        <Fact label={t('outcomes.rules.fee')}>
          {t('outcomes.rules.feeOf', { rate: percent(market.taker_fee_rate, { decimals: 0 }) })}
        </Fact>
        <Fact label={t('outcomes.rules.id')}>{String(market.instrument_id)}</Fact>
      </dl>
    </div>
  );
}

function textsOf(event: OutcomeEventMeta, market: OutcomeMarketMeta): readonly string[] {
  const [whole, own] = [event.description.trim(), market.description.trim()];
  if (own.includes(whole)) return own === '' ? [] : [own];
  return whole.includes(own) ? [whole] : [whole, own];
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-b border-line/50 py-1">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className="min-w-0 text-end break-words">{children}</dd>
    </div>
  );
}

type OwnOrdersProps = Readonly<{ event: OutcomeEventMeta; orders: readonly OutcomeOpenOrder[] }>;

function OwnOrders({ event, orders }: OwnOrdersProps) {
  const t = useWords();
  const trader = useSession()?.trader;
  const [leaving, setLeaving] = useState<ReadonlySet<number>>(new Set());
  const user = useSession()?.address;
  const isLoaded = openOutcomeOrders.use(user, (state) => state.isLoaded);
  const { dialog, open } = useReport(user ?? '');
  if (orders.length === 0) {
    if (user !== undefined && !isLoaded) return null;
    return (
      <>
        <EmptyState title={t('outcomes.orders.empty')} text={t('outcomes.orders.emptyText')} />
        {dialog}
      </>
    );
  }
  const cancel = async ({ instrumentId, oid }: OutcomeOpenOrder): Promise<void> => {
    setLeaving((before) => new Set([...before, oid]));
    try {
      const cancels = [{ a: instrumentId, o: oid }];
      const reply = await trader?.exchange.cancel({ cancels }, { confirm: 'executed' });
      const error = reply?.status === 'executed' ? reply.orders[0]?.error : undefined;
      if (error !== undefined && error !== null) notify({ title: error, tone: 'warning' });
    } catch (fault) {
      notify({ title: explainError(fault, t).sentence, tone: 'warning' });
    }
    setLeaving((before) => new Set([...before].filter((each) => each !== oid)));
  };
  return (
    <>
      <ul className="p-3" aria-label={t('outcomes.panels.orders')}>
        {orders.map((order) => {
          const market = event.markets.find((each) => each.instrument_id === order.instrumentId);
          if (market === undefined) return null;
          const row = { order, market, name: nameOf(market, event), onOpen: open };
          return (
            <OwnOrder key={order.oid} {...row}>
              {trader !== undefined && (
                <Button
                  size="small"
                  isBusy={leaving.has(order.oid)}
                  onClick={() => void cancel(order)}
                >
                  {t('outcomes.orders.cancel')}
                </Button>
              )}
            </OwnOrder>
          );
        })}
      </ul>
      {dialog}
    </>
  );
}

type OwnOrderProps = {
  readonly order: OutcomeOpenOrder;
  readonly market: OutcomeMarketMeta;
  readonly name: string;
  readonly onOpen: (oid: number) => void;
  readonly children: ReactNode;
};

function OwnOrder({ order, market, name, onOpen, children }: OwnOrderProps) {
  const t = useWords();
  const words = {
    shares: number(order.origSz),
    leg: legName(market, order.outcome),
    price: cents(order.limitPx, priceDecimals(market)),
  };
  return (
    <li className="border-b border-line/50">
      <div
        role="presentation"
        onKeyDown={(press) => pressesKey(press, REPORT_KEY) && onOpen(order.oid)}
        className="flex h-10 items-center gap-4 px-2 text-12"
      >
        <span className="min-w-0 flex-1 truncate">
          <span className={order.reduceOnly ? 'text-sell' : 'text-buy'}>
            <ReportButton oid={order.oid} onOpen={onOpen}>
              <span className="visually-hidden">{t('origin.reportLabel')} </span>
              {t(order.reduceOnly ? 'outcomes.ticket.sellAt' : 'outcomes.ticket.buyAt', words)}
            </ReportButton>
          </span>{' '}
          <span className="text-muted">{name}</span>
        </span>
        <span className="text-muted max-tablet:hidden">
          {t('outcomes.orders.filled', { filled: number(subtract(order.origSz, order.sz)) })}
        </span>
        <span className="text-muted max-tablet:hidden">{lifeOf(order, market, t)}</span>
        {children}
      </div>
    </li>
  );
}

function lifeOf(
  { expireTime }: OutcomeOpenOrder,
  { end_time: endMs }: OutcomeMarketMeta,
  t: Words,
): string {
  if (expireTime === undefined) return t('outcomes.ticket.gtc');
  if (expireTime > endMs) return t('outcomes.orders.untilClose', { when: dateTime(endMs) });
  return t('outcomes.orders.until', { when: dateTime(expireTime) });
}

type OutcomeBookProps = {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly mark: string | undefined;
  readonly leg: Leg;
  readonly onLeg: (leg: Leg) => void;
  readonly onPrice: (cents: string) => void;
  readonly orders: readonly OutcomeOpenOrder[];
};

function OutcomeBook(props: OutcomeBookProps) {
  const { event, leg, market, onLeg } = props;
  const t = useWords();
  const isEmpty = books.use({ coin: String(market.instrument_id) }, ({ book }) => {
    if (book === undefined) return market.phase === 'resolved';
    return book.levels.every((side) => side.length === 0);
  });
  return (
    <section aria-label={t('outcomes.book.label')} className="min-w-0">
      <div className="flex h-9 items-center justify-between gap-3">
        <h2 className="min-w-0 truncate text-12 text-muted">{nameOf(market, event)}</h2>
        <Segmented
          label={t('outcomes.book.leg')}
          size="small"
          value={leg}
          onChange={onLeg}
          segments={(['Yes', 'No'] as const).map((value) => ({
            value,
            label: legName(market, value),
            tone: value === 'Yes' ? ('buy' as const) : ('sell' as const),
          }))}
        />
      </div>
      {isEmpty ? (
        <EmptyState
          title={t('outcomes.book.empty')}
          text={
            market.phase === 'open'
              ? t('outcomes.book.emptyText')
              : t(`outcomes.phase.${market.phase}Text`)
          }
        />
      ) : (
        <Sides {...props} />
      )}
    </section>
  );
}

function Sides({ market, mark, leg, onPrice, orders }: OutcomeBookProps) {
  const t = useWords();
  const { price_tick: tick } = market;
  const decimals = priceDecimals(market);
  const lotDecimals = sizeDecimals(market);
  const coin = String(market.instrument_id);
  const store = books.useStore({ coin });
  const best = books.use({ coin }, ({ book }) => {
    const { asks, bids } = ladderOf(book, leg);
    return { bid: bids[0]?.px, ask: asks[0]?.px };
  });
  const own = ownPrices(orders, market, leg);
  const common = {
    store,
    tick,
    offset: 0,
    figures: useMemo(() => figuresOf(decimals, lotDecimals), [decimals, lotDecimals]),
    levelsIn: useMemo(() => levelsOf(leg), [leg]),
    describe: (level: DepthLevel | undefined) =>
      level === undefined
        ? t('outcomes.book.noLevel')
        : t('outcomes.book.toLevel', {
            shares: number(level.total),
            price: cents(averageOf(level), decimals + 1),
            value: money(level.value),
          }),
    onTake: (price: string) => onPrice(multiply(price, '100')),
  };
  const name = legName(market, leg);
  return (
    <div className="flex h-70 flex-col tablet:h-86">
      <div className="flex h-6 shrink-0 items-center px-3 text-11 text-muted">
        <span className="flex-1">{t('outcomes.book.price', { leg: name })}</span>
        <span className="w-[34%] text-end">{t('outcomes.book.shares')}</span>
        <span className="w-[34%] text-end">{t('outcomes.book.total')}</span>
      </div>
      <BookHalf
        side="ask"
        label={t('outcomes.book.asks', { leg: name })}
        own={own.ask}
        {...common}
      />
      <div className="flex h-8 shrink-0 items-center justify-between border-y border-line px-3">
        <span className="text-15 font-semibold">
          {probability(mark === undefined ? undefined : legPrice(mark, leg))}
        </span>
        <span className="text-11 text-muted">
          {best.bid === undefined || best.ask === undefined
            ? t('outcomes.book.oneSided')
            : t('outcomes.book.spread', { spread: cents(subtract(best.ask, best.bid), decimals) })}
        </span>
      </div>
      <BookHalf
        side="bid"
        label={t('outcomes.book.bids', { leg: name })}
        own={own.bid}
        {...common}
      />
    </div>
  );
}

function figuresOf(decimals: number, lotDecimals: number) {
  return {
    price: (price: string) => cents(price, decimals),
    size: (size: string) => number(size, { decimals: lotDecimals }),
  };
}

function levelsOf(leg: Leg) {
  return ({ book }: BookState, side: 'bid' | 'ask'): readonly Level[] => {
    const { asks, bids } = ladderOf(book, leg);
    return side === 'bid' ? bids : asks;
  };
}

/**
 * Returns the prices of the user's orders in the book of one outcome. An order to sell NO is a bid
 * for YES.
 */
export function ownPrices(
  orders: readonly Pick<OutcomeOpenOrder, 'instrumentId' | 'limitPx' | 'outcome' | 'reduceOnly'>[],
  { instrument_id: id }: Pick<OutcomeMarketMeta, 'instrument_id'>,
  leg: Leg,
): { readonly bid: readonly string[]; readonly ask: readonly string[] } {
  const bid: string[] = [];
  const ask: string[] = [];
  for (const { instrumentId, limitPx, outcome, reduceOnly } of orders) {
    if (instrumentId !== id) continue;
    const isSame = outcome === leg;
    const price = isSame ? limitPx : subtract('1', limitPx);
    (reduceOnly === isSame ? ask : bid).push(price);
  }
  return { bid, ask };
}
