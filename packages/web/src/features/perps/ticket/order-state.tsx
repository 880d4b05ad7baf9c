import { ApiError, type OrderEntry, type OrderResult, type SimulatedAction } from '@oddlot/sdk';
import { number } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { Spinner } from '../../../ui/empty-state.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import type { Sending } from './use-sending.ts';
import type { Remedy } from '../../../lib/explain-error.ts';
import { type Draft, isTriggerType } from './draft.ts';

/** What became of the order that was sent last, as the venue said it. */
export function OrderState({ sending: { isAsking, isBusy, sent } }: { readonly sending: Sending }) {
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
            <li key={result.i}>{told(result, orders, grid.priceDecimals, t)}</li>
          ))}
      </ul>
    </div>
  );
}

/** In words; of more than one order also which of them it is. */
function told(
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

/** What the venue would say to the ticket, as if it had been sent. */
export function refusalOf(result: SimulatedAction | undefined): ApiError | undefined {
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

/** The field of the ticket that a refused field of the action came from, with the value that is offered. */
export function remedyOf(
  remedy: Remedy,
  draft: Pick<Draft, 'exitBasis' | 'hasExits' | 'limitPrice' | 'takeProfit' | 'type'>,
): Partial<Draft> | undefined {
  if (remedy.kind !== 'useValue' && remedy.kind !== 'lowerTo') return undefined;
  const { exitBasis, hasExits, limitPrice, takeProfit, type } = draft;
  const { field = '', value } = remedy;
  const place = Number(/^orders\[(\d+)\]/.exec(field)?.[1] ?? 0);
  // Rungs of a ladder and exits that were typed as a share are worked out: there is no field to mend.
  if (place > 0 && !(hasExits && exitBasis === 'price')) return undefined;
  if (place > 0)
    return exitAt(place, takeProfit) === 'takeProfit' ? { takeProfit: value } : { stopLoss: value };
  if (field.endsWith('triggerPx')) return { triggerPrice: value };
  if (field.endsWith('.p')) {
    if (!isTriggerType(type)) return { price: value };
    // A trigger without a limit carries the price at which it fires there too.
    return limitPrice === '' ? { triggerPrice: value } : { limitPrice: value };
  }
  if (field.endsWith('.s')) return { size: value, sizeUnit: 'base' };
  return undefined;
}

/** Behind the parent stands the take-profit, if there is one, and then the stop-loss. */
function exitAt(place: number, takeProfit: string): 'takeProfit' | 'stopLoss' {
  return place === 1 && takeProfit !== '' ? 'takeProfit' : 'stopLoss';
}
