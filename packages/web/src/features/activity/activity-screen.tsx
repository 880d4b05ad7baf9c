import type { LargestTrade, Liquidation, OutcomeEventMeta, PerpMeta } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { texts } from 'words:activity';
import { isBought, Market } from '../../account-tables/cells.tsx';
import { usePageTitle } from '../../lib/browser.ts';
import { multiply, sum } from '../../lib/decimal.ts';
import { cents, compact, dateTime, number } from '../../lib/format.ts';
import { addWords, inOneDirection, useWords, type Words } from '../../lib/words.ts';
import { OnGrid, sizeDecimals, SizeOnGrid, timeColumn } from '../../market/cells.tsx';
import { InterestLine, OutcomeInterest } from '../../market/interest/interest-line.tsx';
import { useEvents, usePerps, useSimulated } from '../../market/queries.ts';
import { contexts } from '../../market/streams.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { Button, Segmented } from '../../ui/controls.tsx';
import { EventTitle, Who } from '../../ui/figures.tsx';
import { Menu, type MenuItem } from '../../ui/overlays.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { byDecimal, Table, type Column } from '../../ui/table.tsx';
import { Heading, Panel } from './panel.tsx';

addWords(texts);

export function Screen() {
  const t = useWords();
  usePageTitle(t('activity.title'));
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const of = search['of'] === 'events' ? 'events' : 'perps';
  const look = (change: Record<string, string>): void => {
    void navigate({ to: '/activity', search: { ...search, ...change }, replace: true });
  };
  return (
    <div className="flex min-h-full flex-col bg-panel">
      <Heading at="/activity" />
      <div className="grid flex-1 content-start desktop:grid-cols-[minmax(0,12fr)_minmax(0,8fr)]">
        <LargestTrades of={of} span={search['window']} onLook={look} />
        <div className="min-w-0 border-line desktop:border-s">
          <OpenInterest of={of} market={search['market']} onLook={look} />
          <Liquidations />
        </div>
      </div>
    </div>
  );
}

const EVENTS_MAX = 8;
const QUESTIONS_MAX = 16;

type OpenInterestProps = {
  readonly of: 'perps' | 'events';
  readonly market: unknown;
  readonly onLook: (change: Record<string, string>) => void;
};

export function OpenInterest({ of, market, onLook }: OpenInterestProps) {
  const t = useWords();
  const { data } = usePerps();
  const { data: found } = useEvents({ sortBy: 'volume', status: 'open', limit: EVENTS_MAX });
  const perps = data?.universe ?? [];
  const questions = (found?.events ?? []).flatMap(questionsOf).slice(0, QUESTIONS_MAX);
  const isOfEvents = of === 'events' && market === undefined;
  const question = isOfEvents ? questions[0] : questions.find(({ slug }) => slug === market);
  const perp = perps.find(({ name }) => name === market) ?? perps[0];
  const chosen = question?.name ?? perp?.name;
  const chosenName = question === undefined ? perp?.name : question.slug;
  const itemOf = (name: string, to: string): MenuItem => ({
    label: <span className="max-w-72 truncate">{name}</span>,
    isChosen: to === chosenName,
    onSelect: () => onLook({ market: to }),
  });
  const items: readonly MenuItem[] = [
    ...perps.map(({ name }) => itemOf(name, name)),
    ...(questions.length === 0 ? [] : [{ kind: 'title', label: t('activity.events') } as const]),
    ...questions.map(({ name, slug }) => itemOf(name, slug)),
  ];
  return (
    <Panel
      title={t('activity.interest')}
      aside={
        chosen !== undefined && (
          <Menu
            trigger={
              <Button size="small">
                <span className="max-w-64 truncate desktop:max-w-96">
                  <EventTitle title={chosen} isShort />
                </span>{' '}
                <span aria-hidden="true">▾</span>
              </Button>
            }
            items={items}
          />
        )
      }
    >
      <div className="h-56">
        {question !== undefined && (
          <OutcomeInterest key={question.id} instrumentId={question.id} name={question.name} />
        )}
        {question === undefined && perp !== undefined && <OfPerp key={perp.index} perp={perp} />}
        {chosen === undefined && data !== undefined && <EmptyState title={t('markets.noPerps')} />}
      </div>
    </Panel>
  );
}

function questionsOf({
  markets,
  title,
}: OutcomeEventMeta): { id: number; slug: string; name: string }[] {
  return markets.map(({ group_title: group, instrument_id: id, question, slug }) => ({
    id,
    slug,
    name: inOneDirection(markets.length === 1 ? title : `${group ?? question} · ${title}`),
  }));
}

function OfPerp({ perp }: { readonly perp: PerpMeta }) {
  const coin = String(perp.index);
  const held = contexts.use(coin, ({ ctx }) => ctx?.openInterest);
  const mark = contexts.use(coin, ({ ctx }) => ctx?.markPx);
  return (
    <InterestLine
      coin={coin}
      name={perp.name}
      unit={perp.baseCurrency}
      decimals={sizeDecimals(perp)}
      held={held}
      mark={mark}
      worthOf={({ markPx, openInterest }) => multiply(openInterest, markPx)}
    />
  );
}

const DAY_MS = 86_400_000;
const AGAIN_MS = 10_000;
const SHOWN_MAX = 200;

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
      width: '56px',
      short: 'always',
    }),
    {
      id: 'market',
      header: t('activity.column.market'),
      width: '88px',
      cell: ({ coin }) => <Market symbol={coin} isOutcome={false} />,
    },
    {
      id: 'position',
      header: t('activity.column.position'),
      width: '56px',
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
      width: '116px',
      cell: ({ user }) => <Who user={user} isSimulated={simulated.has(user)} />,
    },
  ];
}

const KINDS = ['perps', 'events'] as const;
const SPANS = ['day', 'week', 'month'] as const;
const TRADES_AGAIN_MS = 10_000;
const EVENT_ROW_PX = 44;

type LargestTradesProps = {
  readonly of: (typeof KINDS)[number];
  readonly span: unknown;
  readonly onLook: (change: Record<string, string>) => void;
};

function LargestTrades({ of, span, onLook }: LargestTradesProps) {
  const t = useWords();
  const window = SPANS.find((each) => each === span) ?? 'day';
  const accountType = of === 'perps' ? ('perp' as const) : ('outcome' as const);
  const { data } = useQuery({
    queryKey: ['largestTrades', accountType, window],
    queryFn: ({ signal }) => reader.info.largestTrades({ accountType, window }, { signal }),
    refetchInterval: TRADES_AGAIN_MS,
  });
  const simulated = useSimulated();
  const columns = useMemo(() => tradeColumnsOf(t, of, simulated), [t, of, simulated]);
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

function tradeColumnsOf(
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
      width: isPerps ? '72px' : '104px',
      phoneWidth: isPerps ? '64px' : '96px',
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
      phoneWidth: isPerps ? '72px' : '48px',
      cell: ({ ntl }) => <span title={number(ntl)}>{number(ntl, { decimals: 0 })}</span>,
      compare: byDecimal(({ ntl }) => ntl),
    },
    whoColumn('taker'),
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
