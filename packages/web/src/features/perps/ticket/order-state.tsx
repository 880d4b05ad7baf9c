import type { ActionReply, OrderResult } from '@oddlot/sdk';
import { number } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import { useDesk } from '../desk.ts';

/** What became of the order that was sent last, as the venue said it. */
export function OrderState({
  reply,
  isBusy,
}: {
  readonly reply: ActionReply | undefined;
  readonly isBusy: boolean;
}) {
  const t = useWords();
  const { grid } = useDesk();
  if (isBusy) {
    return (
      <p role="status" className="flex items-center gap-2 text-12 text-muted">
        <Spinner /> {t('perps.state.sent')}
      </p>
    );
  }
  if (reply === undefined) return null;
  if (reply.status !== 'executed') {
    return (
      <p role="status" className="text-12 text-warning">
        {t('perps.state.pending')}
      </p>
    );
  }
  return (
    <ul role="status" className="flex flex-col gap-0.5 text-12 text-muted">
      {reply.orders
        .filter(({ state }) => state !== 'rejected')
        .map((result) => (
          <li key={result.i}>{told(result, grid.priceDecimals, t)}</li>
        ))}
    </ul>
  );
}

function told({ avgPx, filledSz, state }: OrderResult, decimals: number, t: Words): string {
  const fill = { size: number(filledSz), price: number(avgPx, { decimals }) };
  if (state === 'filled') return t('perps.state.filled', fill);
  if (state === 'open') {
    return avgPx === null ? t('perps.state.open') : t('perps.state.openPart', fill);
  }
  return avgPx === null ? t('perps.state.ended') : t('perps.state.endedPart', fill);
}
