import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, type RefObject } from 'react';
import { useStore } from 'zustand';
import { ApiError } from '@oddlot/sdk';
import type { Remedy } from '../../../lib/explain-error.ts';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { connection } from '../../../market/venue.ts';
import { useSession } from '../../../session/use-session.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { usePositions } from '../use-account.ts';
import { useMarketState } from '../use-market-state.ts';
import { AccountChips } from './account-chips.tsx';
import { useConfirmed } from './use-confirmed.tsx';
import { changeDraft, useDraft } from './draft.ts';
import { Entrance } from './entrance.tsx';
import { Exits } from './exits.tsx';
import { Options } from './options.tsx';
import { OrderState } from './order-state.tsx';
import { TICKET } from './focus-ticket.ts';
import { labelOf } from './label-of.ts';
import { largestOrder, lowerSize } from './lower-size.ts';
import type { Drafted } from './orders-of-draft.ts';
import { Preview } from './preview.tsx';
import { PriceFields } from './price-fields.tsx';
import { SideChoice, TypeChoice } from './choices.tsx';
import { isHedged, mostOf } from './share-of-most.ts';
import { SizeField } from './size-field.tsx';
import { refusalOf, remedyOf } from './refusal.ts';
import { useDrafted } from './use-drafted.ts';
import { useFreshOrders } from './use-fresh-orders.ts';
import { useSending } from './use-sending.ts';
import { useSized } from './use-sized.ts';
import { useSizing } from './use-sizing.ts';
import { useSimulation } from './use-simulation.ts';

/** One order, from the first digit to what became of it. In a sheet the Escape key is the sheet's. */
export function Ticket({ isInSheet = false }: { readonly isInSheet?: boolean }) {
  const { coin, perp } = useTradedPerp();
  const t = useWords();
  const draft = useDraft();
  const session = useSession();
  const asset = useSizing(draft)?.asset;
  const isHedge = asset !== undefined && isHedged(asset);
  const positions = usePositions();
  const most = asset && mostOf(draft, asset, { coin, positions });
  const sized = useSized(draft, most, asset);
  const drafted = useDrafted(sized, isHedge);
  const parameters = drafted.missing === undefined ? drafted.parameters : undefined;
  const simulation = useSimulation(session?.address, parameters, draft);
  const label = labelOf(draft, drafted, { base: perp.baseCurrency, isHedge }, t);
  const sending = useSending(useFreshOrders(draft, parameters, isHedge), label);
  const { clear, fault, send } = sending;
  const { question, request } = useConfirmed(drafted, label, send);
  const remedies = useRemedies(send);
  const form = useRef<HTMLFormElement>(null);
  useEscape(form, isInSheet ? undefined : clear);
  const refusal = fault ?? refusalOf(simulation.result);
  return (
    <form
      ref={form}
      id={TICKET}
      aria-label={t('perps.ticket.label')}
      className="flex flex-col gap-3 p-3"
      onSubmit={(event) => {
        event.preventDefault();
        request();
      }}
    >
      <AccountChips asset={asset} />
      <TypeChoice />
      <SideChoice isHedge={isHedge} />
      <PriceFields />
      <SizeField asset={asset} draft={sized} drafted={drafted} most={most} />
      <Options isHedge={isHedge} />
      <Exits drafted={drafted} isHedge={isHedge} />
      <Preview simulation={simulation} drafted={drafted} asset={asset} />
      {refusal !== undefined && (
        <Refused refusal={refusal} most={most} drafted={drafted} onRemedy={remedies} />
      )}
      {session?.trader === undefined ? (
        <Entrance />
      ) : (
        <SendButton
          isReady={parameters !== undefined}
          isBusy={sending.isBusy}
          isGated={refusalOf(simulation.result)?.name === 'GATED'}
        >
          {label}
        </SendButton>
      )}
      {question}
      <OrderState sending={sending} />
      <p className="flex justify-between gap-2 text-11 text-muted">
        {!isInSheet && session?.trader !== undefined && <span>{t('perps.ticket.keys')}</span>}
        {simulation.result !== undefined && (
          <span>
            {t('perps.ticket.simulated', { height: number(String(simulation.result.height)) })}
          </span>
        )}
      </p>
    </form>
  );
}

/** A refusal with what helps; a size that is too large is lowered by a press. */
function Refused({
  refusal,
  most,
  drafted,
  onRemedy,
}: {
  readonly refusal: unknown;
  readonly most: string | undefined;
  readonly drafted: Drafted;
  readonly onRemedy: (remedy: Remedy) => (() => void) | undefined;
}) {
  const t = useWords();
  const { grid, perp } = useTradedPerp();
  const draft = useDraft();
  const told = refusal instanceof ApiError ? refusal : undefined;
  const size = lowerSize(told, { draft, drafted, grid, most });
  const limit = told && largestOrder(told);
  const unit = perp.baseCurrency;
  return (
    <ErrorSentence
      error={refusal}
      // It is said with the unit below.
      onRemedy={(remedy) => (remedy.kind === 'lowerTo' ? undefined : onRemedy(remedy))}
      sentence={limit && t('perps.ticket.sizeMost', { size: number(limit), unit })}
      also={
        size === undefined
          ? []
          : [
              {
                label: t('perps.ticket.lowerTo', { size: number(size), unit }),
                act: () => changeDraft({ size, sizeUnit: 'base' }),
              },
            ]
      }
    />
  );
}

const WAYS_TO_STOP = ['closed', 'halted', 'lost', 'gated'] as const;

/** Sends; or says why nothing can be sent. */
function SendButton({
  isReady,
  isBusy,
  isGated,
  children,
}: {
  readonly isReady: boolean;
  /** R-gate: who sends it may not raise what is at risk. */
  readonly isGated: boolean;
  readonly isBusy: boolean;
  readonly children: string;
}) {
  const t = useWords();
  const { perp } = useTradedPerp();
  const { side } = useDraft();
  const { isClosed } = useMarketState();
  const isLost = useStore(connection, ({ status }) => status === 'lost');
  const stops = { closed: isClosed, halted: perp.haltTrading, lost: isLost, gated: isGated };
  const stopped = WAYS_TO_STOP.find((way) => stops[way]);
  return (
    <Button
      type="submit"
      kind={side}
      size="large"
      isWide
      isBusy={isBusy}
      disabled={!isReady || stopped !== undefined}
    >
      {stopped === undefined ? children : t(`perps.ticket.${stopped}`)}
    </Button>
  );
}

function useEscape(form: RefObject<HTMLFormElement | null>, clear: (() => void) | undefined): void {
  const onKey = useEffectEvent(({ key }: KeyboardEvent): void => {
    if (key === 'Escape') clear?.();
  });
  useEffect(() => {
    const element = form.current;
    element?.addEventListener('keydown', onKey);
    return () => element?.removeEventListener('keydown', onKey);
  }, [form]);
}

function useRemedies(send: () => Promise<void>): (remedy: Remedy) => (() => void) | undefined {
  const navigate = useNavigate();
  const draft = useDraft();
  return (remedy) => {
    if (remedy.kind === 'retry') return () => void send();
    if (remedy.kind === 'addFunds') return () => void navigate({ to: '/account' });
    const change = remedyOf(remedy, draft);
    return change === undefined ? undefined : () => changeDraft(change);
  };
}
