import { updateLeverageShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** What `updateLeverage` takes. */
export type UpdateLeverageParameters = {
  /** Instrument id. */
  readonly asset: number;
  /** Whole; with isolated margin in hedge mode a negative one is that of the short side. */
  readonly leverage: number;
  /** Which of the two leverages is set; it switches no mode. The current one's by default. */
  readonly marginMode?: 'cross' | 'isolated' | undefined;
};

/**
 * Sets the leverage of one instrument. Refused while orders or triggers of it are working.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function updateLeverage<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, leverage, marginMode }: UpdateLeverageParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const type = 'updateLeverage';
  const action: ActionInputOf<typeof type> = { type, asset, leverage, marginMode };
  return sendAction(context, updateLeverageShape, () => action, options);
}
