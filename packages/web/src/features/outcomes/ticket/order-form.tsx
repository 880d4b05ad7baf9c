import { useEffect, useState } from 'react';
import type { Leg, OutcomeMarketMeta } from '@oddlot/sdk';
import { add, isDecimal, multiply, roundTo } from '../../../lib/decimal.ts';
import { cents, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { books } from '../../../market/book.ts';
import { outcomeFates } from '../../../market/outcome-fates.ts';
import { venueNow } from '../../../market/venue.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { ladderOf } from '../legs.ts';
import { gridOf, legName } from '../market-facts.ts';
import { usePurse } from '../use-purse.ts';
import { draftOf, type Ticket } from './draft.ts';
import { LimitFields } from './limit-fields.tsx';
import { OrderFate } from './order-fate.tsx';
import { OrderPreview } from './order-preview.tsx';
import { outlookOf } from './outlook.ts';
import { SendButton } from './send-button.tsx';
import { useSend } from './use-send.ts';
import { useSimulated } from './use-simulated.ts';

const NEW: Omit<Ticket, 'intent' | 'leg'> = {
  kind: 'market',
  unit: 'money',
  amount: '',
  cents: '',
  life: 'gtc',
  untilMs: undefined,
  isPostOnly: false,
};

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
  const [typed, setTyped] = useState({
    ...NEW,
    unit: intent === 'buy' ? 'money' : 'shares',
  } as typeof NEW);
  const change = (part: Partial<typeof NEW>): void => {
    sending.clear();
    setTyped((before) => ({ ...before, ...part }));
  };
  // A price that was pressed in the book makes it a limit order.
  useEffect(() => {
    if (bookCents !== undefined)
      setTyped((before) => ({ ...before, kind: 'limit', cents: bookCents }));
  }, [bookCents]);
  const purse = usePurse(market.instrument_id);
  const { session } = purse;
  const book = books.use({ coin: String(market.instrument_id) }, (state) => state.book);
  const ladder = ladderOf(book, leg);
  const sending = useSend(session?.trader);
  // Subscribed before the first order is sent, so that nothing of it is missed.
  outcomeFates.useStore(session?.trader === undefined ? undefined : session.address);
  const ticket: Ticket = { ...typed, intent, leg };
  const freeShares = purse.freeShares(leg);
  const draft = draftOf(ticket, {
    asset: market.instrument_id,
    grid: gridOf(market),
    minSize: market.min_order_size,
    ladder,
    cash: purse.cash,
    freeShares,
  });
  const simulated = useSimulated(session?.address, draft);
  const outlook = outlookOf(ticket, draft, simulated.data);
  const words = t(intent === 'buy' ? 'outcomes.ticket.buyWords' : 'outcomes.ticket.sellWords', {
    shares: number(draft.shares),
    leg: legName(market, leg),
  });
  const submit = async (): Promise<void> => {
    if (draft.entry === undefined) return;
    const delayMs = simulated.data?.orders[0]?.delayMs ?? 0;
    const isSent = await sending.send(draft.entry(venueNow()), { words, delayMs });
    if (isSent) setTyped((before) => ({ ...before, amount: '' }));
  };
  const best = { buy: ladder.asks[0]?.px, sell: ladder.bids[0]?.px }[intent];
  return (
    <>
      <Segmented
        label={t('outcomes.ticket.leg')}
        value={leg}
        onChange={onLeg}
        segments={(['Yes', 'No'] as const).map((value) => ({
          value,
          label: `${legName(market, value)} ${bestOf(book, value, intent, market.price_decimals)}`,
          tone: value === 'Yes' ? ('buy' as const) : ('sell' as const),
        }))}
      />
      <Segmented
        label={t('outcomes.ticket.kind')}
        value={typed.kind}
        onChange={(kind) => {
          const start = typed.cents === '' && isDecimal(best) ? multiply(best, '100') : typed.cents;
          change({ kind, cents: start });
        }}
        segments={[
          { value: 'market', label: t('outcomes.ticket.market') },
          { value: 'limit', label: t('outcomes.ticket.limit') },
        ]}
      />
      {typed.kind === 'limit' && (
        <LimitFields ticket={ticket} draft={draft} market={market} onChange={change} />
      )}
      <NumberField
        label={t(typed.unit === 'shares' ? 'outcomes.ticket.shares' : 'outcomes.ticket.spend')}
        unit={typed.unit === 'shares' ? legName(market, leg) : 'USDC'}
        value={typed.amount}
        placeholder="0"
        onChange={(amount) => change({ amount })}
        fault={
          draft.fault === 'small'
            ? t('outcomes.ticket.small', { size: number(market.min_order_size) })
            : undefined
        }
        onEnter={() => void submit()}
      />
      <AmountHelp ticket={ticket} cash={purse.cash} freeShares={freeShares} onChange={change} />
      <OrderPreview
        market={market}
        ticket={ticket}
        draft={draft}
        outlook={outlook}
        isOld={simulated.isOld}
        error={simulated.data?.error ?? undefined}
      />
      <SendButton
        purse={purse}
        market={market}
        ticket={ticket}
        draft={draft}
        outlook={outlook}
        isBusy={sending.isBusy}
        onSend={() => void submit()}
      />
      {sending.error !== undefined && (
        <ErrorSentence
          error={sending.error}
          onRemedy={(remedy) => (remedy.kind === 'retry' ? () => void submit() : undefined)}
        />
      )}
      {sending.sent !== undefined && session !== undefined && (
        <OrderFate key={sending.sent.id} user={session.address} sent={sending.sent} />
      )}
    </>
  );
}

function bestOf(
  book: Parameters<typeof ladderOf>[0],
  leg: Leg,
  intent: 'buy' | 'sell',
  decimals: number,
): string {
  const { asks, bids } = ladderOf(book, leg);
  return cents((intent === 'buy' ? asks : bids)[0]?.px, decimals);
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
  readonly onChange: (part: Partial<typeof NEW>) => void;
}) {
  const t = useWords();
  const { amount, intent, unit } = ticket;
  const most = intent === 'sell' ? freeShares : unit === 'money' ? cash : undefined;
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
      {isDecimal(most) && (
        <Button
          kind="quiet"
          size="small"
          onClick={() => onChange({ amount: roundTo(most, 6, 'down') })}
        >
          {t('outcomes.ticket.max', { amount: number(roundTo(most, 2, 'down')) })}
        </Button>
      )}
      {intent === 'buy' && (
        <span className="ml-auto">
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
