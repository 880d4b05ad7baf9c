import { useStore } from 'zustand';
import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { compare, isDecimal, sign, subtract } from '../../../lib/decimal.ts';
import { cents, money, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { connection } from '../../../market/venue.ts';
import { Button } from '../../../ui/button.tsx';
import { legName } from '../market-facts.ts';
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
  const { perpCash, session } = purse;
  if (session?.trader === undefined) return <WayIn session={session} />;
  const isBuy = ticket.intent === 'buy';
  const missing = missingOf(open);
  const canMove = missing !== undefined && isDecimal(perpCash) && sign(perpCash) > 0;
  if (canMove && session.owner !== undefined) {
    const isExact = ticket.unit === 'money';
    return (
      <MoveMoney
        owner={session.owner}
        missing={missing}
        perpCash={perpCash}
        step={isExact ? CENT : undefined}
      />
    );
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

const CENT = '0.01';

/** Money that a purchase lacks: of what was said to be spent, or of what its shares cost at the worst. */
function missingOf({ draft, purse: { cash }, ticket }: OpenTicket): string | undefined {
  const { reserve } = draft;
  if (reserve === undefined || !isDecimal(cash) || compare(reserve, cash) <= 0) return undefined;
  return subtract(ticket.unit === 'money' ? ticket.amount : reserve, cash);
}
