import type { L2Book, Leg, OutcomeMarketMeta } from '@oddlot/sdk';
import { add, isDecimal, multiply, roundTo } from '../../../lib/decimal.ts';
import { cents, number } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/on-grid.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { ladderOf, legLabel, legName } from '../market-facts.ts';
import { OrderFate } from './order-fate.tsx';
import { OrderPreview } from './order-preview.tsx';
import { SendButton } from './send-button.tsx';
import { type OpenTicket, type Typed, useTicket } from './use-ticket.ts';
import { dateTime } from '../../../lib/time.ts';
import { venueNow } from '../../../market/venue.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { type Draft, lastingMs, type Ticket } from './draft.ts';
import { mostOf } from './money-to-move.ts';

/** An order in money or in shares: what it costs, what it may bring, and what the worst is. */
export function OrderForm({
  market,
  intent,
  leg,
  bookCents,
  onLeg,
}: {
  readonly market: OutcomeMarketMeta;
  readonly intent: 'buy' | 'sell';
  readonly leg: Leg;
  readonly bookCents: string | undefined;
  readonly onLeg: (leg: Leg) => void;
}) {
  const t = useWords();
  const open = useTicket(market, { intent, leg, cents: bookCents });
  const { book, change, purse, sending, submit, ticket } = open;
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
        cash={purse.cash}
        freeShares={purse.freeShares(leg)}
        onChange={change}
      />
      <OrderPreview market={market} open={open} />
      <SendButton market={market} open={open} />
      {sending.error !== undefined && (
        <ErrorSentence
          error={sending.error}
          onRemedy={({ kind }) => (kind === 'retry' ? () => void submit() : undefined)}
        />
      )}
      {sending.sent !== undefined && purse.session !== undefined && (
        <OrderFate
          key={sending.sent.id}
          user={purse.session.address}
          sent={sending.sent}
          market={market}
        />
      )}
    </>
  );
}

function Amount({
  market,
  open,
}: {
  readonly market: OutcomeMarketMeta;
  readonly open: OpenTicket;
}) {
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

/** The price of a limit order and how long it stays. */
function LimitFields({
  ticket,
  draft,
  market,
  onChange,
}: {
  readonly ticket: Ticket;
  readonly draft: Draft;
  readonly market: OutcomeMarketMeta;
  readonly onChange: (part: Partial<Omit<Ticket, 'intent' | 'leg'>>) => void;
}) {
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

/** The market closes before the time that was chosen is over, and takes what rests along. */
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

/** Ways to an amount that is not typed. */
function AmountHelp({
  ticket,
  cash,
  freeShares,
  onChange,
}: {
  readonly ticket: Ticket;
  readonly cash: string | undefined;
  readonly freeShares: string;
  readonly onChange: (part: Partial<Typed>) => void;
}) {
  const t = useWords();
  const { amount, intent, unit } = ticket;
  const most = intent === 'sell' ? freeShares : unit === 'money' ? cash : undefined;
  const told = mostOf(most, intent === 'sell' ? 'shares' : 'money');
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
      {isDecimal(most) && told !== undefined && (
        <Button
          kind="quiet"
          size="small"
          onClick={() => onChange({ amount: roundTo(most, 6, 'down') })}
        >
          {t('outcomes.ticket.max', { amount: told })}
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
