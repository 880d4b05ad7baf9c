import type { OrderResult } from '@oddlot/sdk';
import { number } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import { useDesk } from '../desk.ts';
import type { Sending } from './use-sending.ts';

/** What became of the order that was sent last, as the venue said it. */
export function OrderState({
  sending: { isAsking, isBusy, label, reply },
}: {
  readonly sending: Sending;
}) {
  const t = useWords();
  const { grid } = useDesk();
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
  if (reply?.status !== 'executed') return null;
  return (
    <div role="status" className="flex flex-col gap-0.5 text-12">
      <p>{label}</p>
      <ul className="text-muted">
        {reply.orders
          .filter(({ state }) => state !== 'rejected')
          .map((result) => (
            <li key={result.i}>{told(result, grid.priceDecimals, t)}</li>
          ))}
      </ul>
    </div>
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
