import { ApiError, type SimulatedAction } from '@oddlot/sdk';
import type { Remedy } from '../../../lib/explain-error.ts';
import { isTriggerType, type Draft } from './draft.ts';

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
