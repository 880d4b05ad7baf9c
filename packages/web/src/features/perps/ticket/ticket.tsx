import {
  ApiError,
  type ActiveAssetData,
  type OrderEntry,
  type OrderResult,
  type SimulatedAction,
} from '@oddlot/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useStore } from 'zustand';
import { compare, isDecimal, multiply } from '../../../lib/decimal.ts';
import { largestOrder, type Remedy } from '../../../lib/explain-error.ts';
import { money, number } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { connection } from '../../../market/venue.ts';
import {
  FirstSteps,
  firstVisit,
  isUnderWay,
  openTestAccount,
} from '../../../session/first-steps.tsx';
import { LetTrade } from '../../../session/let-trade.tsx';
import { useIsSessionLoaded, useSession } from '../../../session/session.ts';
import { Button, Chip, Segmented, Spinner } from '../../../ui/controls.tsx';
import { Dialog } from '../../../ui/overlays.tsx';
import { preferences } from '../../../ui/preferences.ts';
import { ErrorSentence, onDemand } from '../../../ui/states.tsx';
import { useMarketState } from '../market-notice.tsx';
import { usePositions, useTradedPerp } from '../use-account.ts';
import {
  changeDraft,
  chooseType,
  isTriggerType,
  sendWishes,
  TICKET,
  useDraft,
  type Draft,
  type Drafted,
  type OrderType,
} from './draft.ts';
import {
  Exits,
  lowerSize,
  Options,
  PriceFields,
  SizeField,
  useSized,
  useSizing,
} from './order-fields.tsx';
import {
  isHedged,
  mostOf,
  useDrafted,
  useFreshOrders,
  useSending,
  useSimulation,
  type Sending,
} from './share-of-most.ts';
import { Preview } from './preview.tsx';

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
          isRefused={draft.share === undefined && simulation.result?.accepted === false}
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

type RefusedProps = {
  readonly refusal: unknown;
  readonly most: string | undefined;
  readonly drafted: Drafted;
  readonly onRemedy: (remedy: Remedy) => (() => void) | undefined;
};

function Refused({ refusal, most, drafted, onRemedy }: RefusedProps) {
  const t = useWords();
  const { grid, perp } = useTradedPerp();
  const draft = useDraft();
  const apiError = refusal instanceof ApiError ? refusal : undefined;
  const size = lowerSize(apiError, { draft, drafted, grid, most });
  const limit = largestOrder(apiError?.details);
  const unit = perp.baseCurrency;
  return (
    <ErrorSentence
      error={refusal}
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

type SendButtonProps = {
  readonly isReady: boolean;
  readonly isGated: boolean;
  /** True if the venue would reject the order in its current form. */
  readonly isRefused: boolean;
  readonly isBusy: boolean;
  readonly children: string;
};

function SendButton({ isReady, isBusy, isGated, isRefused, children }: SendButtonProps) {
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
      disabled={!isReady || isRefused || stopped !== undefined}
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

const LeverageDialog = onDemand(async () => (await import('./mode-dialogs.tsx')).LeverageDialog);
const MarginModeDialog = onDemand(
  async () => (await import('./mode-dialogs.tsx')).MarginModeDialog,
);
const PositionModeDialog = onDemand(
  async () => (await import('./mode-dialogs.tsx')).PositionModeDialog,
);

type Open = 'margin' | 'leverage' | 'position' | undefined;

function AccountChips({ asset }: { readonly asset: ActiveAssetData | undefined }) {
  const t = useWords();
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  if (asset === undefined) return null;
  const { mode, type, value } = asset.leverage;
  const short = asset.leverageShort?.value;
  return (
    <div className="flex justify-between gap-2">
      <Chip onClick={() => setOpen('margin')}>{t(`perps.account.${type}`)}</Chip>
      <Chip onClick={() => setOpen('leverage')} aria-label={t('perps.account.leverage', { value })}>
        {value}×{short !== undefined && short !== value && ` / ${short}×`}
      </Chip>
      <Chip onClick={() => setOpen('position')}>{t(`perps.account.${mode}`)}</Chip>
      {open === 'margin' && <MarginModeDialog asset={asset} onClose={close} />}
      {open === 'leverage' && <LeverageDialog asset={asset} onClose={close} />}
      {open === 'position' && <PositionModeDialog asset={asset} onClose={close} />}
    </div>
  );
}

const TYPES: readonly OrderType[] = ['limit', 'market', 'stop', 'takeProfit', 'scale'];

function TypeChoice() {
  const t = useWords();
  const { type } = useDraft();
  return (
    <Segmented
      label={t('perps.ticket.type')}
      value={type}
      onChange={chooseType}
      segments={TYPES.map((value) => ({ value, label: t(`perps.ticket.types.${value}`) }))}
    />
  );
}

function SideChoice({ isHedge }: { readonly isHedge: boolean }) {
  const t = useWords();
  const { isClosing, side } = useDraft();
  const words = isHedge ? (isClosing ? 'closing' : 'opening') : 'oneWay';
  return (
    <>
      {isHedge && (
        <Segmented
          label={t('perps.ticket.effect')}
          size="small"
          value={isClosing ? 'close' : 'open'}
          onChange={(next) => changeDraft({ isClosing: next === 'close' })}
          segments={[
            { value: 'open', label: t('perps.ticket.open') },
            { value: 'close', label: t('perps.ticket.close') },
          ]}
        />
      )}
      <Segmented
        label={t('perps.ticket.side')}
        value={side}
        onChange={(next) => changeDraft({ side: next })}
        segments={(['buy', 'sell'] as const).map((value) => ({
          value,
          tone: value,
          label: t(`perps.ticket.${words}.${value}`),
        }))}
      />
    </>
  );
}

function Entrance() {
  const t = useWords();
  const isLoaded = useIsSessionLoaded();
  const session = useSession();
  const isOpening = useStore(firstVisit, isUnderWay);
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
      {session !== undefined && !isOpening && <LetTrade />}
      <FirstSteps />
    </div>
  );
}

function labelOf(
  draft: Draft,
  drafted: Drafted,
  { base, isHedge }: { readonly base: string; readonly isHedge: boolean },
  t: Words,
): string {
  const { isClosing, limitPrice, side, triggerPrice, type } = draft;
  if (drafted.missing !== undefined) return t(`perps.ticket.missing.${drafted.missing}`);
  const does = isHedge
    ? t(`perps.ticket.${isClosing ? 'closing' : 'opening'}.${side}`)
    : t(`perps.${side}`);
  const words = { does, size: number(drafted.size), base };
  if (type === 'scale') {
    return t('perps.ticket.send.scale', { ...words, count: drafted.parameters.orders.length });
  }
  if (type === 'market') return t('perps.ticket.send.market', words);
  if (!isTriggerType(type)) {
    return t('perps.ticket.send.limit', { ...words, price: number(drafted.price) });
  }
  const waiting = { ...words, price: number(triggerPrice), limit: number(limitPrice) };
  return limitPrice === ''
    ? t('perps.ticket.send.trigger', waiting)
    : t('perps.ticket.send.triggerLimit', waiting);
}

function useConfirmed(
  drafted: Drafted,
  label: string,
  send: () => Promise<void>,
): { readonly request: () => void; readonly question: ReactNode } {
  const [isAsked, setIsAsked] = useState(false);
  const { confirmAbove, confirmOrders } = useStore(preferences);
  const value = drafted.missing === undefined ? multiply(drafted.size, drafted.price) : undefined;
  const request = (): void => {
    if (value === undefined) return;
    const isLarge = isDecimal(confirmAbove) && compare(value, confirmAbove) >= 0;
    if (confirmOrders === 'always' || (confirmOrders === 'above' && isLarge)) setIsAsked(true);
    else void send();
  };
  useWishes(request);
  const question = isAsked && (
    <SendConfirmation label={label} value={value} onSend={send} onClose={() => setIsAsked(false)} />
  );
  return { request, question };
}

function useWishes(request: () => void): void {
  const wish = useStore(sendWishes, ({ count }) => count);
  const onWish = useEffectEvent(request);
  useEffect(() => {
    if (wish > 0 && sendWishes.getState().take()) onWish();
  }, [wish]);
}

type SendConfirmationProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly onSend: () => Promise<void>;
  readonly onClose: () => void;
};

function SendConfirmation({ label, value, onSend, onClose }: SendConfirmationProps) {
  const t = useWords();
  const { side } = useDraft();
  const [isBusy, setIsBusy] = useState(false);
  const send = async (): Promise<void> => {
    setIsBusy(true);
    await onSend();
    onClose();
  };
  return (
    <Dialog
      title={t('perps.confirm.title')}
      description={t('perps.confirm.text', { value: money(value) })}
      isOpen
      onClose={onClose}
    >
      <Button kind={side} size="large" isWide isBusy={isBusy} onClick={() => void send()}>
        {label}
      </Button>
    </Dialog>
  );
}

function OrderState({ sending: { isAsking, isBusy, sent } }: { readonly sending: Sending }) {
  const t = useWords();
  const { grid } = useTradedPerp();
  if (isBusy) {
    return (
      <p
        role="status"
        className={`flex items-start gap-2 text-12 ${isAsking ? 'text-warning' : 'text-muted'}`}
      >
        <span className="mt-0.5 shrink-0">
          <Spinner />
        </span>
        {t(isAsking ? 'perps.state.asking' : 'perps.state.sent')}
      </p>
    );
  }
  if (sent?.reply.status !== 'executed') return null;
  const { label, orders, reply } = sent;
  return (
    <div role="status" className="flex flex-col gap-0.5 text-12">
      <p>{label}</p>
      <ul className="text-muted">
        {reply.orders
          .filter(({ state }) => state !== 'rejected')
          .map((result) => (
            <li key={result.i}>{resultText(result, orders, grid.priceDecimals, t)}</li>
          ))}
      </ul>
    </div>
  );
}

function resultText(
  { avgPx, filledSz, i, state }: OrderResult,
  orders: readonly OrderEntry[],
  decimals: number,
  t: Words,
): string {
  const fill = { size: number(filledSz), price: number(avgPx, { decimals }) };
  if (state === 'filled') return t('perps.state.filled', fill);
  if (state !== 'open') {
    return avgPx === null ? t('perps.state.ended') : t('perps.state.endedPart', fill);
  }
  const entry = orders[i];
  if (entry !== undefined && 'trigger' in entry.t) {
    const price = number(entry.t.trigger.triggerPx, { decimals });
    if (i === 0) return t('perps.state.waits', { price });
    return t(`perps.state.exit.${entry.t.trigger.tpsl}`, { price });
  }
  if (avgPx !== null) return t('perps.state.openPart', fill);
  if (entry === undefined || orders.length === 1) return t('perps.state.open');
  return t('perps.state.openAt', { size: number(entry.s), price: number(entry.p, { decimals }) });
}

function refusalOf(result: SimulatedAction | undefined): ApiError | undefined {
  if (result?.error === null || result?.error === undefined) return undefined;
  const { code, details, message, name } = result.error;
  return new ApiError({
    code,
    name,
    message: message.replace(/^\w+\[\d+\]: /, ''),
    details,
    httpStatus: 200,
    response: result,
  });
}

export function remedyOf(
  remedy: Remedy,
  draft: Pick<Draft, 'exitBasis' | 'hasExits' | 'limitPrice' | 'takeProfit' | 'type'>,
): Partial<Draft> | undefined {
  if (remedy.kind !== 'useValue' && remedy.kind !== 'lowerTo') return undefined;
  const { exitBasis, hasExits, limitPrice, takeProfit, type } = draft;
  const { field = '', value } = remedy;
  const place = Number(/^orders\[(\d+)\]/.exec(field)?.[1] ?? 0);
  if (place > 0 && !(hasExits && exitBasis === 'price')) return undefined;
  if (place > 0)
    return (place === 1 && takeProfit !== '' ? 'takeProfit' : 'stopLoss') === 'takeProfit'
      ? { takeProfit: value }
      : { stopLoss: value };
  if (field.endsWith('triggerPx')) return { triggerPrice: value };
  if (field.endsWith('.p')) {
    if (!isTriggerType(type)) return { price: value };
    return limitPrice === '' ? { triggerPrice: value } : { limitPrice: value };
  }
  if (field.endsWith('.s')) return { size: value, sizeUnit: 'base' };
  return undefined;
}
