import type { Client, Leg, OutcomeEventMeta, OutcomeMarketMeta } from '@oddlot/sdk';
import { useState } from 'react';
import { useStore } from 'zustand';
import { compare, isDecimal, roundTo, sign, smaller, subtract } from '../../../lib/decimal.ts';
import { probability, countdown, hourMinute, number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { sizeDecimals, useVenueSecond } from '../../../market/cells.tsx';
import { connection } from '../../../market/venue.ts';
import { doneOnce } from '../../../session/sent-once.ts';
import { Button, emptied, NumberField, Segmented } from '../../../ui/controls.tsx';
import { ErrorSentence, useDoing } from '../../../ui/states.tsx';
import { lacksStrike, legName, nameOf } from '../market-facts.ts';
import { useFunds } from '../queries.ts';
import { mostOf, movable } from './draft.ts';
import { OrderForm } from './order-form.tsx';
import { MoveMoney, NoConnection, WayIn } from './send-button.tsx';

type Intent = 'buy' | 'sell' | 'split' | 'merge';

export type Choice = Readonly<{ intent: Intent; leg: Leg; cents: string | undefined }>;

type TicketPanelProps = {
  readonly event: OutcomeEventMeta;
  readonly market: OutcomeMarketMeta;
  readonly mark: string | undefined;
  readonly choice: Choice;
  /** The initial amount, in USDC, for a ticket that can be sent as soon as it opens. */
  readonly firstAmount?: string | undefined;
  readonly onChoose: (choice: Partial<Choice>) => void;
};

export function TicketPanel(props: TicketPanelProps) {
  const { event, market, mark, choice, firstAmount, onChoose } = props;
  const t = useWords();
  // After the market has closed, only merging is allowed until the resolution (R-phases).
  const isOver = market.phase === 'closed' || market.phase === 'resolved';
  const intent = isOver ? 'merge' : choice.intent;
  const isPair = intent === 'split' || intent === 'merge';
  return (
    <section aria-label={t('outcomes.ticket.label')} className="flex flex-col gap-3">
      <div className="flex items-baseline justify-between gap-3 max-desktop:hidden">
        <h2 className="min-w-0 truncate text-15 font-semibold">{nameOf(market, event)}</h2>
        <span className="text-muted">{probability(mark)}</span>
      </div>
      {!isOver && (
        <Segmented
          label={t('outcomes.ticket.intent')}
          value={intent}
          onChange={(next) => onChoose({ intent: next, cents: undefined })}
          segments={[
            { value: 'buy', label: t('outcomes.ticket.buy') },
            { value: 'sell', label: t('outcomes.ticket.sell') },
            { value: 'split', label: t('outcomes.ticket.split') },
            { value: 'merge', label: t('outcomes.ticket.merge') },
          ]}
        />
      )}
      <PhaseNotice market={market} />
      <NoStrike market={market} />
      {isPair ? (
        <PairForm key={`${market.instrument_id} ${intent}`} market={market} kind={intent} />
      ) : (
        <OrderForm
          key={`${market.instrument_id} ${intent}`}
          market={market}
          intent={intent}
          leg={choice.leg}
          bookCents={choice.cents}
          firstAmount={intent === 'buy' ? firstAmount : undefined}
          onLeg={(leg) => onChoose({ leg, cents: undefined })}
        />
      )}
    </section>
  );
}

function PhaseNotice({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  if (market.trading.accepting_orders) return null;
  return (
    <p role="status" className="border-s-2 border-warning py-1 ps-3 text-12">
      {market.phase === 'upcoming' ? (
        <Opens startMs={market.start_time} />
      ) : (
        t(`outcomes.phase.${market.phase}Text`)
      )}
    </p>
  );
}

function Opens({ startMs }: { readonly startMs: number }) {
  const t = useWords();
  const leftMs = startMs - useVenueSecond();
  return (
    <span className="tabular-nums">
      {leftMs > 0
        ? t('outcomes.phase.opensIn', { when: countdown(leftMs) })
        : t('outcomes.phase.upcomingText')}
    </span>
  );
}

function NoStrike({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  if (!lacksStrike(market)) return null;
  return (
    <p role="alert" className="border-s-2 border-warning py-1 ps-3 text-12">
      {t('outcomes.series.noStrikeText', {
        when: hourMinute(market.start_time),
        yes: legName(market, 'Yes'),
        no: legName(market, 'No'),
      })}
    </p>
  );
}

type PairFormProps = { readonly market: OutcomeMarketMeta; readonly kind: 'split' | 'merge' };

function PairForm({ market, kind }: PairFormProps) {
  const t = useWords();
  const [amount, setAmount] = useState('');
  const funds = useFunds(market.instrument_id);
  const { cash, freeShares, session } = funds;
  const isSplit = kind === 'split';
  const pairs = smaller(freeShares('Yes'), freeShares('No'));
  const isLost = useStore(connection, ({ status }) => status === 'lost');
  const most = isSplit ? cash : pairs;
  const mostText = mostOf(most, isSplit ? 'money' : 'shares');
  const isGood = isDecimal(amount) && sign(amount) > 0;
  const names = { yes: legName(market, 'Yes'), no: legName(market, 'No') };
  const words = { amount: isGood ? number(amount) : '0', ...names };
  const work = usePair(session?.trader, market, kind);
  const isOver = isGood && isDecimal(most) && compare(amount, most) > 0;
  const move = isOver && isSplit ? movable(funds, subtract(amount, most)) : undefined;
  const isTooMuch = isOver && move === undefined;
  const canAct = isGood && !isOver && !isLost;
  const act = async (): Promise<void> => {
    if (canAct && (await work.act(amount))) setAmount(emptied(amount));
  };
  return (
    <>
      <PairPicture isSplit={isSplit} {...names} amount={words.amount} />
      <NumberField
        label={t('outcomes.pair.pairs')}
        value={amount}
        placeholder="0"
        unit={t('outcomes.pair.unit')}
        onChange={(typed) => {
          work.clear();
          setAmount(typed);
        }}
        onEnter={() => void act()}
        fault={isTooMuch ? t('outcomes.pair.tooMuch', { amount: mostText ?? '0' }) : undefined}
      />
      {isDecimal(most) && mostText !== undefined && (
        <Most
          text={mostText}
          onTake={() => setAmount(roundTo(most, sizeDecimals(market), 'down'))}
        />
      )}
      <p className="text-12 text-muted">
        {t(isSplit ? 'outcomes.pair.splitText' : 'outcomes.pair.mergeText', words)}
      </p>
      {session?.trader === undefined ? (
        <WayIn session={session} />
      ) : isLost ? (
        <NoConnection />
      ) : move !== undefined ? (
        <MoveMoney {...move} />
      ) : (
        <Button
          kind="accent"
          size="large"
          isWide
          isBusy={work.isBusy}
          disabled={!canAct}
          onClick={() => void act()}
        >
          {t(isSplit ? 'outcomes.pair.splitButton' : 'outcomes.pair.mergeButton', words)}
        </Button>
      )}
      <Outcome work={work} kind={kind} names={names} />
    </>
  );
}

function Most({ text, onTake }: { readonly text: string; readonly onTake: () => void }) {
  const t = useWords();
  return (
    <div className="-mt-1">
      <Button kind="quiet" size="small" onClick={onTake}>
        {t('outcomes.ticket.max', { amount: text })}
      </Button>
    </div>
  );
}

type OutcomeProps = {
  readonly work: PairWork;
  readonly kind: 'split' | 'merge';
  readonly names: { readonly yes: string; readonly no: string };
};

function Outcome({ work: { done, error }, kind, names }: OutcomeProps) {
  const t = useWords();
  const key = kind === 'split' ? 'outcomes.pair.splitDone' : 'outcomes.pair.mergeDone';
  return (
    <>
      {error !== undefined && <ErrorSentence error={error} />}
      {done !== undefined && (
        <p role="status" className="text-12 text-muted">
          {t(key, { amount: number(done), ...names })}
        </p>
      )}
    </>
  );
}

type PairPictureProps = Readonly<{ isSplit: boolean; yes: string; no: string; amount: string }>;

function PairPicture({ isSplit, yes, no, amount }: PairPictureProps) {
  return (
    <div
      aria-hidden="true"
      className="grid grid-cols-[1fr_auto_1fr] items-center gap-3 rounded border border-line p-3 text-13"
    >
      <span className="truncate text-center font-medium">{amount} USDC</span>
      <span className="text-15 text-muted">{isSplit ? '→' : '←'}</span>
      <span className="flex min-w-0 flex-col gap-1">
        <span className="truncate rounded bg-buy/12 px-2 py-1 text-center text-buy-strong">
          {amount} {yes}
        </span>
        <span className="truncate rounded bg-sell/12 px-2 py-1 text-center text-sell-strong">
          {amount} {no}
        </span>
      </span>
    </div>
  );
}

type PairWork = {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly done: string | undefined;
  act(amount: string): Promise<boolean>;
  clear(): void;
};

function usePair(
  trader: Client | undefined,
  market: OutcomeMarketMeta,
  kind: 'split' | 'merge',
): PairWork {
  const { run, ...doing } = useDoing();
  const [done, setDone] = useState<string>();
  const act = async (amount: string): Promise<boolean> => {
    if (trader === undefined) return false;
    const entries = [{ asset: market.instrument_id, sz: amount }];
    const operation = kind === 'split' ? { split: entries } : { merge: entries };
    return run(async () => {
      setDone(undefined);
      await doneOnce(trader, ({ exchange }) =>
        exchange.outcomeOperate(operation, { confirm: 'executed' }),
      );
      setDone(amount);
    });
  };
  return { ...doing, done, act };
}
