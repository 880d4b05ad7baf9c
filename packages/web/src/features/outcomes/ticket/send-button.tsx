import type { OutcomeMarketMeta } from '@oddlot/sdk';
import { cents, money, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/grid-decimals.ts';
import { Button } from '../../../ui/button.tsx';
import { legName } from '../market-facts.ts';
import { NoConnection } from './no-connection.tsx';
import { moneyToMove } from './money-to-move.ts';
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
  const { draft, isLost, outlook, purse, sending, submit, ticket } = open;
  const t = useWords();
  const { session } = purse;
  if (session?.trader === undefined) return <WayIn session={session} />;
  if (isLost) return <NoConnection />;
  const isBuy = ticket.intent === 'buy';
  const move = moneyToMove(open);
  if (move !== undefined) return <MoveMoney {...move} />;
  const what = {
    shares: number(draft.shares),
    leg: legName(market, ticket.leg),
    price: cents(draft.price, priceDecimals(market)),
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
