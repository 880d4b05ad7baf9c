import { useStore } from 'zustand';
import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { compare, isDecimal, larger, multiply, subtract } from '../../../lib/decimal.ts';
import { cents, money, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { connection } from '../../../market/venue.ts';
import { Button } from '../../../ui/button.tsx';
import { legName } from '../market-facts.ts';
import type { Draft } from './draft.ts';
import { MoveMoney } from './move-money.tsx';
import type { OpenTicket } from './use-ticket.ts';
import { WayIn } from './way-in.tsx';

/** Says what it does; where something is missing, it is the way to that. */
export function SendButton({
  market,
  open,
}: {
  readonly market: OutcomeMarketMeta;
  readonly open: OpenTicket;
}) {
  const { draft, outlook, purse, sending, submit, ticket } = open;
  const t = useWords();
  const isLost = useStore(connection, ({ status }) => status === 'lost');
  const { cash, perpCash, session } = purse;
  if (session?.trader === undefined) return <WayIn session={session} />;
  const isBuy = ticket.intent === 'buy';
  const needed = reserveOf(draft);
  const missing =
    isBuy && needed !== undefined && isDecimal(cash) ? subtract(needed, cash) : undefined;
  const canMove =
    missing !== undefined &&
    compare(missing, '0') > 0 &&
    isDecimal(perpCash) &&
    compare(perpCash, '0') > 0;
  if (canMove && session.owner !== undefined) {
    return <MoveMoney owner={session.owner} missing={missing} perpCash={perpCash} />;
  }
  const what = {
    shares: number(draft.shares),
    leg: legName(market, ticket.leg),
    price: cents(draft.price, market.price_decimals),
    money: money(outlook?.total),
  };
  const label =
    draft.entry === undefined
      ? t(isBuy ? 'outcomes.ticket.buyNothing' : 'outcomes.ticket.sellNothing', what)
      : ticket.kind === 'limit'
        ? t(isBuy ? 'outcomes.ticket.buyAt' : 'outcomes.ticket.sellAt', what)
        : t(isBuy ? 'outcomes.ticket.buyFor' : 'outcomes.ticket.sellFor', what);
  const isClosed = !market.trading.accepting_orders;
  return (
    <Button
      kind={isBuy ? 'buy' : 'sell'}
      size="large"
      isWide
      isBusy={sending.isBusy}
      disabled={draft.entry === undefined || isClosed || isLost}
      onClick={() => void submit()}
    >
      {label}
    </Button>
  );
}

/** What the venue will set aside, a little generously: it knows the exact sum. */
function reserveOf({ entry, price, quote, shares }: Draft): string | undefined {
  if (entry === undefined || price === undefined) return undefined;
  return larger(quote?.reserve ?? '0', multiply(shares, price));
}
