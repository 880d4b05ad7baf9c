import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useMemo, useRef, useState, type RefObject } from 'react';
import type { ActionReply, OrderParameters } from '@oddlot/sdk';
import { useStore } from 'zustand';
import type { Remedy } from '../../../lib/explain-error.ts';
import { number } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { contexts } from '../../../market/contexts.ts';
import { connection, venueNow } from '../../../market/venue.ts';
import { FirstSteps } from '../../../session/first-steps.tsx';
import { openTestAccount } from '../../../session/first-visit.ts';
import { useIsSessionLoaded, useSession } from '../../../session/use-session.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { useDesk } from '../desk.ts';
import { useAct } from '../use-act.ts';
import { useAssetData } from '../use-account.ts';
import { AccountChips } from './account-chips.tsx';
import { changeDraft, clearDraft, useDraft, type Draft } from './draft.ts';
import { Exits } from './exits.tsx';
import { Options } from './options.tsx';
import { OrderState } from './order-state.tsx';
import { ordersOf, type Drafted } from './orders-of-draft.ts';
import { Preview } from './preview.tsx';
import { PriceFields } from './price-fields.tsx';
import { SideChoice, TypeChoice } from './choices.tsx';
import { SizeField } from './size-field.tsx';
import { refusalOf, remedyOf } from './refusal.ts';
import { useSimulation } from './use-simulation.ts';

/** One order, from the first digit to what became of it. In a sheet the Escape key is the sheet's. */
export function Ticket({ isInSheet = false }: { readonly isInSheet?: boolean }) {
  const { coin, grid, perp } = useDesk();
  const t = useWords();
  const draft = useDraft();
  const session = useSession();
  const asset = useAssetData(coin);
  const markPx = contexts.use(coin, ({ ctx }) => ctx?.markPx ?? '');
  const isHedge = asset?.leverage.mode === 'Hedge';
  const drafted = useMemo(
    () => ordersOf(draft, { asset: perp.index, grid, markPx, nowMs: wholeMinute(), isHedge }),
    [draft, perp.index, grid, markPx, isHedge],
  );
  const parameters = drafted.missing === undefined ? drafted.parameters : undefined;
  const simulation = useSimulation(session?.address, parameters);
  const isLost = useStore(connection, ({ status }) => status === 'lost');
  const remedies = useRemedies();
  const { clear, fault, isBusy, reply, send } = useSending(parameters);
  const form = useRef<HTMLFormElement>(null);
  useEscape(form, isInSheet ? undefined : clear);
  const refusal = fault ?? refusalOf(simulation.result);
  return (
    <form
      ref={form}
      aria-label={t('perps.ticket.label')}
      className="flex flex-col gap-3 p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <AccountChips asset={asset} />
      <TypeChoice />
      <SideChoice isHedge={isHedge} />
      <PriceFields />
      <SizeField asset={asset} drafted={drafted} />
      <Options isHedge={isHedge} />
      <Exits />
      <Preview simulation={simulation} drafted={drafted} />
      {refusal !== undefined && <ErrorSentence error={refusal} onRemedy={remedies} />}
      {session?.trader === undefined ? (
        <Entrance />
      ) : (
        <Button
          type="submit"
          kind={draft.side}
          size="large"
          isWide
          isBusy={isBusy}
          disabled={parameters === undefined || perp.haltTrading || isLost}
        >
          {perp.haltTrading
            ? t('perps.ticket.halted')
            : labelOf(draft, drafted, perp.baseCurrency, t)}
        </Button>
      )}
      <OrderState reply={reply} isBusy={isBusy} />
      <p className="flex justify-between gap-2 text-11 text-muted">
        {!isInSheet && <span>{t('perps.ticket.keys')}</span>}
        {simulation.result !== undefined && (
          <span>
            {t('perps.ticket.simulated', { height: number(String(simulation.result.height)) })}
          </span>
        )}
      </p>
    </form>
  );
}

type Sending = {
  readonly send: () => Promise<void>;
  readonly clear: () => void;
  readonly isBusy: boolean;
  readonly reply: ActionReply | undefined;
  readonly fault: unknown;
};

/** Sends what the ticket stands for, and keeps what the venue said to it. */
function useSending(parameters: OrderParameters | undefined): Sending {
  const [reply, setReply] = useState<ActionReply>();
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const forget = (): void => {
    setFault(undefined);
    setReply(undefined);
  };
  const send = async (): Promise<void> => {
    if (parameters === undefined || !canAct) return;
    forget();
    const isDone = await act(async (trader) => {
      const given = await trader.exchange.order(parameters, { confirm: 'executed' });
      setReply(given);
      return given;
    });
    if (isDone) changeDraft({ size: '' });
  };
  const clear = (): void => {
    clearDraft();
    forget();
  };
  return { send, clear, isBusy, reply, fault };
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

const MINUTE_MS = 60_000;

/** The end of an order is told to the minute, so that a ticket which stands stays the same. */
function wholeMinute(): number {
  return Math.ceil(venueNow() / MINUTE_MS) * MINUTE_MS;
}

/** The button says what it does. */
function labelOf(draft: Draft, drafted: Drafted, base: string, t: Words): string {
  const { side, type } = draft;
  if (drafted.missing !== undefined) return t(`perps.ticket.missing.${drafted.missing}`);
  const words = { size: number(drafted.size), base };
  const { orders } = drafted.parameters;
  if (type === 'scale')
    return t(`perps.ticket.send.${side}Scale`, { ...words, count: orders.length });
  if (type === 'market') return t(`perps.ticket.send.${side}Market`, words);
  const price = number(type === 'limit' ? drafted.price : draft.triggerPrice);
  return t(`perps.ticket.send.${side}${type === 'limit' ? 'Limit' : 'Trigger'}`, {
    ...words,
    price,
  });
}

/** In place of the button, for who has no key yet that may trade. */
function Entrance() {
  const t = useWords();
  const isLoaded = useIsSessionLoaded();
  const session = useSession();
  if (session?.kind === 'spectator') {
    return <p className="text-12 text-muted">{t('perps.ticket.lookingOn')}</p>;
  }
  return (
    <div className="flex flex-col gap-3">
      {session === undefined && (
        <Button
          kind="accent"
          size="large"
          isWide
          disabled={!isLoaded}
          onClick={() => void openTestAccount()}
        >
          {t('first.button')}
        </Button>
      )}
      {session?.kind === 'wallet' && (
        <p className="text-12 text-muted">{t('perps.ticket.noAgent')}</p>
      )}
      <FirstSteps />
    </div>
  );
}

function useRemedies(): (remedy: Remedy) => (() => void) | undefined {
  const navigate = useNavigate();
  const draft = useDraft();
  return (remedy) => {
    if (remedy.kind === 'addFunds') return () => void navigate({ to: '/account' });
    const change = remedyOf(remedy, draft);
    return change === undefined ? undefined : () => changeDraft(change);
  };
}
