import { useStore } from 'zustand';
import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { compare, isDecimal, sign, subtract } from '../../../lib/decimal.ts';
import { cents, money, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { connection } from '../../../market/venue.ts';
import { Button } from '../../../ui/button.tsx';
import { legName } from '../market-facts.ts';
import { NoConnection } from './no-connection.tsx';
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
  if (isLost) return <NoConnection />;
  const isBuy = ticket.intent === 'buy';
  const missing = missingOf(open);
  const canMove = missing !== undefined && isDecimal(perpCash) && sign(perpCash) > 0;
  if (canMove && session.owner !== undefined) {
    const isExact = isBySpending(open);
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
      disabled={draft.entry === undefined || isClosed}
      onClick={() => void submit()}
    >
      {label}
    </Button>
  );
}

const CENT = '0.01';

/** Whether all that was said to be spent can be; where the book has less, only what it has must be paid. */
function isBySpending({ draft, ticket }: OpenTicket): boolean {
  return ticket.unit === 'money' && draft.quote?.isWhole !== false;
}

/** Money that a purchase lacks: of what was said to be spent, or of what its shares cost at the worst. */
function missingOf(open: OpenTicket): string | undefined {
  const {
    draft: { reserve },
    purse: { cash },
    ticket,
  } = open;
  if (reserve === undefined || !isDecimal(cash) || compare(reserve, cash) <= 0) return undefined;
  return subtract(isBySpending(open) ? ticket.amount : reserve, cash);
}
