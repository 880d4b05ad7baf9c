import type { L2Book, Leg, OutcomeMarketMeta } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { add, isDecimal, multiply, roundTo, sign } from '../../../lib/decimal.ts';
import { explainRefusal } from '../../../lib/explain-error.ts';
import { cents, dateTime, money, NOTHING, number, percent, usdc } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { priceDecimals, sizeDecimals } from '../../../market/cells.tsx';
import { queryClient } from '../../../market/queries.ts';
import { reader, venueNow } from '../../../market/venue.ts';
import { Button, Checkbox, NumberField, Segmented, TextField } from '../../../ui/controls.tsx';
import { ErrorSentence } from '../../../ui/states.tsx';
import { classes } from '../../../ui/styles.ts';
import { ladderOf, legLabel, legName, otherLeg } from '../market-facts.ts';
import {
  orderStateOf,
  isOver,
  lastingMs,
  MARKET_REST_MS,
  mostOf,
  outcomeOrderStates,
  type Draft,
  type OrderState,
  type SentOrder,
  type Ticket,
} from './draft.ts';
import { SendButton } from './send-button.tsx';
import { useTicket, type OpenTicket, type Typed } from './use-ticket.ts';

type OrderFormProps = {
  readonly market: OutcomeMarketMeta;
  readonly intent: 'buy' | 'sell';
  readonly leg: Leg;
  readonly bookCents: string | undefined;
  readonly firstAmount: string | undefined;
  readonly onLeg: (leg: Leg) => void;
};

export function OrderForm({ market, bookCents, firstAmount, onLeg, ...choice }: OrderFormProps) {
  const t = useWords();
  const { intent, leg } = choice;
  const open = useTicket(market, { ...choice, cents: bookCents, firstAmount });
  const { book, change, funds, sending, submit, ticket } = open;
  const best = bestOf(book, leg, intent);
  return (
    <>
      <Segmented
        label={t('outcomes.ticket.leg')}
        value={leg}
        onChange={onLeg}
        segments={(['Yes', 'No'] as const).map((value) => ({
          value,
          label: `${legLabel(market, value)} ${cents(bestOf(book, value, intent), priceDecimals(market))}`,
          tone: value === 'Yes' ? ('buy' as const) : ('sell' as const),
        }))}
      />
      <Segmented
        label={t('outcomes.ticket.kind')}
        value={ticket.kind}
        onChange={(kind) => {
          const isFirst = ticket.cents === '' && isDecimal(best);
          change({ kind, cents: isFirst ? multiply(best, '100') : ticket.cents });
        }}
        segments={[
          { value: 'market', label: t('outcomes.ticket.market') },
          { value: 'limit', label: t('outcomes.ticket.limit') },
        ]}
      />
      {ticket.kind === 'limit' && (
        <LimitFields ticket={ticket} draft={open.draft} market={market} onChange={change} />
      )}
      <Amount market={market} open={open} />
      <AmountHelp
        ticket={ticket}
        cash={funds.cash}
        freeShares={funds.freeShares(leg)}
        onChange={change}
      />
      <OrderPreview market={market} open={open} />
      <SendButton market={market} open={open} isQuick={firstAmount !== undefined} />
      {sending.error !== undefined && (
        <ErrorSentence
          error={sending.error}
          onRemedy={({ kind }) => (kind === 'retry' ? () => void submit() : undefined)}
        />
      )}
      {sending.sent !== undefined && funds.session !== undefined && (
        <OrderFate
          key={sending.sent.id}
          user={funds.session.address}
          sent={sending.sent}
          market={market}
        />
      )}
    </>
  );
}

function Amount({ market, open }: Readonly<{ market: OutcomeMarketMeta; open: OpenTicket }>) {
  const t = useWords();
  const { change, draft, submit, ticket } = open;
  const isShares = ticket.unit === 'shares';
  return (
    <NumberField
      label={t(isShares ? 'outcomes.ticket.shares' : 'outcomes.ticket.spend')}
      unit={isShares ? legName(market, ticket.leg) : 'USDC'}
      value={ticket.amount}
      placeholder="0"
      onChange={(amount) => change({ amount })}
      fault={
        draft.fault === 'small'
          ? t('outcomes.ticket.small', { size: number(market.min_order_size) })
          : undefined
      }
      onEnter={() => void submit()}
    />
  );
}

function bestOf(book: L2Book | undefined, leg: Leg, intent: 'buy' | 'sell'): string | undefined {
  const { asks, bids } = ladderOf(book, leg);
  return (intent === 'buy' ? asks : bids)[0]?.px;
}

type LimitFieldsProps = {
  readonly ticket: Ticket;
  readonly draft: Draft;
  readonly market: OutcomeMarketMeta;
  readonly onChange: (part: Partial<Omit<Ticket, 'intent' | 'leg'>>) => void;
};

function LimitFields({ ticket, draft, market, onChange }: LimitFieldsProps) {
  const t = useWords();
  const step = multiply(market.price_tick, '100');
  const { nearestCents } = draft;
  return (
    <>
      <NumberField
        label={t('outcomes.ticket.price')}
        unit="¢"
        value={ticket.cents}
        step={step}
        min={step}
        onChange={(typed) => onChange({ cents: typed })}
        fault={priceFault(ticket, draft, market, t)}
      />
      {nearestCents !== undefined && (
        <div>
          <Button size="small" onClick={() => onChange({ cents: nearestCents })}>
            {t('error.useValue', { value: `${number(nearestCents)}¢` })}
          </Button>
        </div>
      )}
      <Segmented
        label={t('outcomes.ticket.life')}
        size="small"
        value={ticket.life}
        onChange={(life) => onChange({ life, isPostOnly: life === 'gtc' && ticket.isPostOnly })}
        segments={[
          { value: 'gtc', label: t('outcomes.ticket.gtc') },
          { value: '1h', label: t('outcomes.ticket.hour') },
          { value: '24h', label: t('outcomes.ticket.day') },
          { value: 'date', label: t('outcomes.ticket.date') },
        ]}
      />
      {ticket.life === 'date' && (
        <TextField
          label={t('outcomes.ticket.until')}
          type="datetime-local"
          onChange={(typed) => {
            const untilMs = Date.parse(typed);
            onChange({ untilMs: Number.isNaN(untilMs) ? undefined : untilMs });
          }}
        />
      )}
      {endsByClose(ticket, market) && (
        <p className="text-12 text-muted">
          {t('outcomes.ticket.closeEnds', { when: dateTime(market.end_time) })}
        </p>
      )}
      {ticket.life === 'gtc' && (
        <Checkbox
          label={t('outcomes.ticket.postOnly')}
          isOn={ticket.isPostOnly}
          onChange={(isPostOnly) => onChange({ isPostOnly })}
        />
      )}
    </>
  );
}

function endsByClose({ life, untilMs }: Ticket, { end_time: endMs }: OutcomeMarketMeta): boolean {
  const lifeMs = lastingMs({ life, untilMs }, venueNow());
  return lifeMs !== undefined && lifeMs > endMs;
}

function priceFault(
  ticket: Ticket,
  { fault }: Draft,
  market: OutcomeMarketMeta,
  t: Words,
): string | undefined {
  if (fault === 'offTick') {
    return t('outcomes.ticket.offTick', { tick: cents(market.price_tick, priceDecimals(market)) });
  }
  return fault === 'price' && ticket.cents !== '' ? t('outcomes.ticket.badPrice') : undefined;
}

const MORE = ['10', '50'] as const;

type AmountHelpProps = {
  readonly ticket: Ticket;
  readonly cash: string | undefined;
  readonly freeShares: string;
  readonly onChange: (part: Partial<Typed>) => void;
};

function AmountHelp({ ticket, cash, freeShares, onChange }: AmountHelpProps) {
  const t = useWords();
  const { amount, intent, unit } = ticket;
  const most = intent === 'sell' ? freeShares : unit === 'money' ? cash : undefined;
  const mostText = mostOf(most, intent === 'sell' ? 'shares' : 'money');
  return (
    <div className="-mt-1 flex items-center gap-1 text-12 text-muted">
      {MORE.map((more) => (
        <Button
          key={more}
          kind="quiet"
          size="small"
          onClick={() => onChange({ amount: add(isDecimal(amount) ? amount : '0', more) })}
        >
          +{more}
        </Button>
      ))}
      {isDecimal(most) && mostText !== undefined && (
        <Button
          kind="quiet"
          size="small"
          onClick={() => onChange({ amount: roundTo(most, 6, 'down') })}
        >
          {t('outcomes.ticket.max', { amount: mostText })}
        </Button>
      )}
      {intent === 'buy' && (
        <span className="ms-auto">
          <Button
            kind="quiet"
            size="small"
            onClick={() => onChange({ unit: unit === 'money' ? 'shares' : 'money', amount: '' })}
          >
            {t(unit === 'money' ? 'outcomes.ticket.inShares' : 'outcomes.ticket.inMoney')}
          </Button>
        </span>
      )}
    </div>
  );
}

function OrderPreview({ market, open }: Readonly<{ market: OutcomeMarketMeta; open: OpenTicket }>) {
  const t = useWords();
  const { draft, simulated, ticket } = open;
  const error = simulated.data?.error;
  return (
    <div
      className={classes('flex flex-col gap-2 transition-opacity', simulated.isOld && 'opacity-70')}
    >
      <Lines market={market} open={open} />
      {ticket.intent === 'buy' && <Endings market={market} open={open} />}
      {draft.fault === 'emptyBook' && (
        <p className="text-12 text-warning">{t('outcomes.preview.emptyBook')}</p>
      )}
      {draft.quote?.isWhole === false && (
        <p className="text-12 text-warning">{t('outcomes.preview.thin')}</p>
      )}
      {error !== null && error !== undefined && error.details?.required === undefined && (
        <p className="text-12 text-warning">{explainRefusal(error, t).sentence}</p>
      )}
    </div>
  );
}

type PreviewProps = { readonly market: OutcomeMarketMeta; readonly open: OpenTicket };

function Lines({ market, open: { draft, outlook, ticket } }: PreviewProps) {
  const t = useWords();
  const isBuy = ticket.intent === 'buy';
  const isMarket = ticket.kind === 'market';
  const decimals = priceDecimals(market);
  const trades = outlook !== undefined && sign(outlook.filled) > 0;
  return (
    <dl className="flex flex-col gap-1 text-12">
      <Line label={t('outcomes.preview.now')}>
        {trades
          ? t('outcomes.preview.sharesAt', {
              shares: number(outlook.filled, { decimals: sizeDecimals(market) }),
              price: cents(outlook.average, decimals + 1),
            })
          : NOTHING}
      </Line>
      {!isMarket && (
        <Line label={t('outcomes.preview.rests')}>
          {outlook === undefined
            ? NOTHING
            : t('outcomes.preview.sharesAt', {
                shares: number(outlook.resting, { decimals: sizeDecimals(market) }),
                price: cents(draft.price, decimals),
              })}
        </Line>
      )}
      <Line label={t('outcomes.preview.fee')}>{usdc(outlook?.fee)}</Line>
      {isMarket && (
        <Line label={t(isBuy ? 'outcomes.preview.atMost' : 'outcomes.preview.atLeast')}>
          {draft.price === undefined
            ? NOTHING
            : t('outcomes.preview.protected', {
                price: cents(draft.price, decimals),
                seconds: MARKET_REST_MS / 1_000,
              })}
        </Line>
      )}
      {isBuy && <Line label={t('outcomes.preview.setAside')}>{usdc(outlook?.setAside)}</Line>}
      {!isBuy && <Line label={t('outcomes.preview.youGet')}>{usdc(outlook?.total)}</Line>}
    </dl>
  );
}

function Endings({ market, open: { outlook, ticket } }: PreviewProps) {
  const t = useWords();
  const gain = outlook?.gain;
  return (
    <dl className="grid grid-cols-2 divide-x divide-line rounded border border-line">
      <Ending
        label={t('outcomes.preview.if', { leg: legName(market, ticket.leg) })}
        value={outlook?.ifRight}
        tone="text-buy"
        note={
          gain === undefined
            ? NOTHING
            : t('outcomes.preview.gain', { gain: percent(gain, { decimals: 0 }) })
        }
      />
      <Ending
        label={t('outcomes.preview.if', { leg: legName(market, otherLeg(ticket.leg)) })}
        value={outlook?.ifWrong}
        tone="text-sell"
        note={t('outcomes.preview.nothingBack')}
      />
    </dl>
  );
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex justify-between gap-3">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className="text-end">{children}</dd>
    </div>
  );
}

type EndingProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly tone: string;
  readonly note: string;
};

function Ending({ label, value, tone, note }: EndingProps) {
  return (
    <div className="min-w-0 px-3 py-2">
      <dt className="truncate text-12 text-muted">{label}</dt>
      <dd>
        <span className="flex items-baseline gap-1">
          <span className={classes('text-15 font-semibold', value !== undefined && tone)}>
            {money(value, { isSigned: true })}
          </span>
          {value !== undefined && <span className="text-12 text-muted">USDC</span>}
        </span>
        <span className="block text-12 text-muted">{note}</span>
      </dd>
    </div>
  );
}

const RECEIPT_AFTER_MS = 1_500;

type OrderFateProps = Readonly<{ user: string; sent: SentOrder; market: OutcomeMarketMeta }>;

function OrderFate({ user, sent, market }: OrderFateProps) {
  const t = useWords();
  const updates = outcomeOrderStates.use(user, (state) => state);
  const known = orderStateOf(sent, updates, undefined);
  const { traceId } = sent;
  const { data: receipt } = useQuery({
    queryKey: ['actionStatus', traceId],
    queryFn: async ({ signal }) => {
      const dueMs = sent.sentMs + sent.delayMs + RECEIPT_AFTER_MS - venueNow();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs)));
      return reader.info.actionStatus({ traceId: traceId ?? '' }, { signal });
    },
    enabled: traceId !== undefined && known.at === 'queued',
    refetchInterval: RECEIPT_AFTER_MS,
    gcTime: 0,
  });
  const state = orderStateOf(sent, updates, receipt);
  const hasFailed = state.at === 'failed';
  useEffect(() => {
    if (hasFailed) void queryClient.invalidateQueries({ queryKey: ['outcomeEvent'] });
  }, [hasFailed]);
  const { text, title } = stateTexts(state, sent, market, t);
  return (
    <div
      role="status"
      className="flex min-h-14 items-center gap-3 rounded border border-line px-3 py-2"
    >
      {isOver(state) || state.at === 'book' ? (
        <Mark state={state} />
      ) : (
        <Ring sentMs={sent.sentMs} delayMs={sent.delayMs} />
      )}
      <div className="min-w-0 break-words">
        <p className="text-13">{title}</p>
        <p className="text-12 text-muted">{text}</p>
        {(state.at === 'failed' || state.at === 'ended') && (
          <p className="truncate text-12 text-muted">{sent.words}</p>
        )}
      </div>
    </div>
  );
}

function stateTexts(
  state: OrderState,
  { delayMs, isAskedFor, words }: SentOrder,
  market: OutcomeMarketMeta,
  t: Words,
): { title: string; text: string } {
  switch (state.at) {
    case 'sent':
      return {
        title: t(isAskedFor === true ? 'outcomes.fate.askedFor' : 'outcomes.fate.sent'),
        text: words,
      };
    case 'queued':
      return {
        title: t('outcomes.fate.queued', {
          wait: delayMs < 1_000 ? `${delayMs} ms` : `${number(String(delayMs / 1_000))} s`,
        }),
        text: t('outcomes.fate.queuedText'),
      };
    case 'book':
      return {
        title: t('outcomes.fate.book'),
        text: isZero(state.filled)
          ? t('outcomes.fate.restsText', { order: words })
          : t('outcomes.fate.bookText', { filled: number(state.filled) }),
      };
    case 'filled':
      return {
        title: t('outcomes.fate.filled'),
        text: t('outcomes.fate.filledText', {
          filled: number(state.filled),
          price: cents(state.average, priceDecimals(market) + 1),
        }),
      };
    case 'ended':
      return {
        title: t(isZero(state.filled) ? 'outcomes.fate.endedEmpty' : 'outcomes.fate.ended', {
          filled: number(state.filled),
        }),
        text: endReason(state.reason, t),
      };
    case 'failed':
      return {
        title: t('outcomes.fate.failed'),
        text: explainRefusal(state, t).sentence.replace(
          /\bOUTCOME-\d+\b/,
          `“${market.group_title ?? market.question}”`,
        ),
      };
  }
}

function isZero(amount: string): boolean {
  return !isDecimal(amount) || sign(amount) === 0;
}

const END_REASONS = [
  'userCanceled',
  'expired',
  'selfTrade',
  'reduceOnly',
  'matchLimit',
  'outcomeResolved',
  'scheduledCancel',
  'amendedBelowFilled',
] as const;

function endReason(reason: string | undefined, t: Words): string {
  const known = END_REASONS.find((each) => each === reason);
  return known === undefined ? (reason ?? '') : t(`outcomes.endReason.${known}`);
}

function Mark({ state }: { readonly state: OrderState }) {
  return (
    <span
      aria-hidden="true"
      className={classes(
        'flex size-6 shrink-0 items-center justify-center text-15',
        state.at === 'failed' ? 'text-warning' : 'text-accent',
      )}
    >
      {state.at === 'failed' ? '!' : state.at === 'book' ? '≡' : state.at === 'filled' ? '✓' : '·'}
    </span>
  );
}

const RADIUS = 9;
const LENGTH = 2 * Math.PI * RADIUS;

function Ring({ sentMs, delayMs }: { readonly sentMs: number; readonly delayMs: number }) {
  const arc = useRef<SVGCircleElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = (): void => {
      const share = delayMs === 0 ? 1 : Math.min(1, (venueNow() - sentMs) / delayMs);
      arc.current?.setAttribute('stroke-dashoffset', String(LENGTH * (1 - share)));
      if (share < 1) frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [sentMs, delayMs]);
  return (
    <svg viewBox="0 0 24 24" className="size-6 shrink-0 -rotate-90" aria-hidden="true">
      <circle cx="12" cy="12" r={RADIUS} fill="none" strokeWidth="3" className="stroke-line" />
      <circle
        ref={arc}
        cx="12"
        cy="12"
        r={RADIUS}
        fill="none"
        strokeWidth="3"
        strokeDasharray={LENGTH}
        className="stroke-warning"
      />
    </svg>
  );
}
