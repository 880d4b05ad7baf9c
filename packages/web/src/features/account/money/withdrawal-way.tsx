import type { Withdrawal } from '@oddlot/sdk';
import { useWords } from '../../../lib/words.ts';
import { Ladder } from '../../../ui/ladder.tsx';

const STEPS = ['held', 'signed', 'sent', 'confirmed'] as const;

/** How far a withdrawal is; and in words what is in its way, or why it came back. */
export function WithdrawalWay({
  label,
  status,
  error,
}: {
  readonly label: string;
  readonly status: Withdrawal['status'];
  readonly error: string | undefined;
}) {
  const t = useWords();
  if (status === 'returned') {
    return (
      <div role="status" className="border-s-2 border-warning ps-3 text-12">
        <p>{t('account.returned')}</p>
        {error !== undefined && <p className="text-muted">{t('account.because', { error })}</p>}
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      <Ladder
        label={label}
        steps={STEPS.map((step) => t(`account.step.${step}`))}
        reached={STEPS.indexOf(status) + 1}
        isStopped={error !== undefined}
      />
      {error !== undefined && (
        <div role="status" className="border-s-2 border-warning ps-3 text-12">
          <p>{t('account.waitsFor', { error })}</p>
          <p className="text-muted">{t('account.waitsText')}</p>
        </div>
      )}
    </div>
  );
}
