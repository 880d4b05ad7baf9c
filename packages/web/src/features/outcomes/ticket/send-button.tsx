import type { Client, OutcomeMarketMeta } from '@oddlot/sdk';
import { useEffect, useEffectEvent, useState } from 'react';
import { useStore } from 'zustand';
import { add, compare, onStep, roundTo, smaller } from '../../../lib/decimal.ts';
import { cents, money, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/cells.tsx';
import { useSettings } from '../../../market/queries.ts';
import {
  FirstSteps,
  firstVisit,
  isUnderWay,
  openTestAccount,
} from '../../../session/first-steps.tsx';
import { LetTrade } from '../../../session/let-trade.tsx';
import { doneOnce } from '../../../session/sent-once.ts';
import type { Session } from '../../../session/session.ts';
import { Button } from '../../../ui/controls.tsx';
import { ErrorSentence, useDoing } from '../../../ui/states.tsx';
import { legName } from '../market-facts.ts';
import { moneyToMove } from './draft.ts';
import type { OpenTicket } from './use-ticket.ts';

type SendButtonProps = {
  readonly market: OutcomeMarketMeta;
  readonly open: OpenTicket;
  /** True if a single press also transfers the missing money. */
  readonly isQuick: boolean;
};

export function SendButton({ market, open, isQuick }: SendButtonProps) {
  const { draft, isLost, outlook, funds, sending, submit, ticket } = open;
  const t = useWords();
  const { session } = funds;
  if (session?.trader === undefined) return <WayIn session={session} />;
  if (isLost) return <NoConnection />;
  const isBuy = ticket.intent === 'buy';
  const move = moneyToMove(open);
  if (move !== undefined && !(isQuick && covers(move))) return <MoveMoney {...move} />;
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
  if (isQuick && !isClosed) return <TransferAndSend open={open} label={label} />;
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

type TransferAndSendProps = { readonly open: OpenTicket; readonly label: string };

/** Transfers the missing money, and sends the order once the venue reports the new balance. */
function TransferAndSend({ open, label }: TransferAndSendProps) {
  const t = useWords();
  const { draft, sending, submit, ticket } = open;
  const move = moneyToMove(open);
  const { error, isBusy, run } = useDoing();
  const [isWaiting, setIsWaiting] = useState(false);
  const isReady = isWaiting && !isBusy && move === undefined;
  const send = useEffectEvent((): void => {
    setIsWaiting(false);
    void submit();
  });
  useEffect(() => {
    if (isReady) send();
  }, [isReady]);
  const act = async (): Promise<void> => {
    if (move === undefined) {
      await submit();
      return;
    }
    setIsWaiting(true);
    const way = { from: 'perp', to: 'outcome', amount: amountOf(move) } as const;
    const isDone = await run(() =>
      doneOnce(move.owner, ({ exchange }) =>
        exchange.transferBetween(way, { confirm: 'executed' }),
      ),
    );
    if (!isDone) setIsWaiting(false);
  };
  return (
    <div className="flex flex-col gap-2">
      <Button
        kind={ticket.intent === 'buy' ? 'buy' : 'sell'}
        size="large"
        isWide
        isBusy={sending.isBusy || isBusy || isWaiting}
        disabled={draft.entry === undefined}
        onClick={() => void act()}
      >
        {label}
      </Button>
      {move !== undefined && (
        <p className="text-12 text-muted">
          {t('outcomes.move.first', { amount: money(amountOf(move)) })}
        </p>
      )}
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  );
}

export function WayIn({ session }: { readonly session: Session | undefined }) {
  const t = useWords();
  const isOpening = useStore(firstVisit, isUnderWay);
  const { data: settings } = useSettings();
  if (session?.kind === 'spectator') {
    return <p className="text-12 text-muted">{t('outcomes.ticket.lookingOn')}</p>;
  }
  if (session !== undefined && !isOpening) {
    return <LetTrade />;
  }
  if (settings?.faucet_amount === null) {
    return <p className="text-12 text-muted">{t('first.textNoFaucet')}</p>;
  }
  return (
    <div className="flex flex-col gap-3">
      <Button
        kind="accent"
        size="large"
        isWide
        isBusy={isOpening}
        onClick={() => void openTestAccount()}
      >
        {t('first.button')}
      </Button>
      <FirstSteps />
    </div>
  );
}

/**
 * The required amount changes with the book, so it is rounded up to this step to avoid repeated
 * transfers.
 */
const STEP = '10';

const CENT = '0.01';

function upTo(amount: string, step: string): string {
  const down = onStep(amount, step, 'down');
  return compare(down, amount) === 0 ? down : add(down, step);
}

type MoveMoneyProps = {
  readonly owner: Client;
  readonly missing: string;
  readonly perpCash: string;
  readonly step?: string | undefined;
};

type Missing = Pick<MoveMoneyProps, 'missing' | 'perpCash' | 'step'>;

function amountOf({ missing, perpCash, step = STEP }: Missing): string {
  return smaller(upTo(missing, step), roundTo(perpCash, 6, 'down'));
}

function covers({ missing, perpCash }: Missing): boolean {
  return compare(missing, perpCash) <= 0;
}

export function MoveMoney({ owner, missing, perpCash, step }: MoveMoneyProps) {
  const t = useWords();
  const { error, isBusy, run } = useDoing();
  const amount = amountOf({ missing, perpCash, step });
  const move = (): Promise<boolean> => {
    const way = { from: 'perp', to: 'outcome', amount } as const;
    return run(() =>
      doneOnce(owner, ({ exchange }) => exchange.transferBetween(way, { confirm: 'executed' })),
    );
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-12 text-muted">
        {t('outcomes.move.text', { missing: money(upTo(missing, CENT)), free: money(perpCash) })}
      </p>
      <Button kind="accent" size="large" isWide isBusy={isBusy} onClick={() => void move()}>
        {t('outcomes.move.button', { amount: money(amount) })}
      </Button>
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  );
}

export function NoConnection() {
  const t = useWords();
  return (
    <Button size="large" isWide disabled>
      {t('outcomes.ticket.lost')}
    </Button>
  );
}
