import type { L2Book, Leg, OutcomeMarketMeta } from '@oddlot/sdk';
import { isDecimal, multiply } from '../../../lib/decimal.ts';
import { cents, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/grid-decimals.ts';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { ladderOf } from '../legs.ts';
import { legLabel, legName } from '../market-facts.ts';
import { AmountHelp } from './amount-help.tsx';
import { LimitFields } from './limit-fields.tsx';
import { OrderFate } from './order-fate.tsx';
import { OrderPreview } from './order-preview.tsx';
import { SendButton } from './send-button.tsx';
import { useTicket, type OpenTicket } from './use-ticket.ts';

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
