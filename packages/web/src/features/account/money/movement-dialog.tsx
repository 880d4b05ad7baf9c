import type { Withdrawal } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { magnitude, subtract } from '../../../lib/decimal.ts';
import { usdc, wholeDate } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { Code, CopyButton } from '../../../ui/figures.tsx';
import { Dialog } from '../../../ui/overlays.tsx';
import { Terms } from './money-fields.tsx';
import { statusOf, WithdrawalWay, type Movement } from './withdrawals.tsx';

type MovementDialogProps = {
  readonly movement: Movement;
  readonly withdrawal: Withdrawal | undefined;
  readonly onClose: () => void;
};

export function MovementDialog({ movement, withdrawal, onClose }: MovementDialogProps) {
  const t = useWords();
  const { amount, hash, kind, other, time } = movement;
  const fee = withdrawal?.fee;
  const facts = [
    { label: t('account.amount'), value: usdc(amount, { isSigned: true }) },
    ...(fee === undefined
      ? []
      : [
          { label: t('account.feeOfIt'), value: usdc(fee) },
          { label: t('account.paid'), value: usdc(subtract(magnitude(amount), fee)) },
        ]),
    { label: t('account.requested'), value: wholeDate(time) },
    ...(withdrawal === undefined
      ? []
      : [{ label: t('account.lastChange'), value: wholeDate(withdrawal.updateTime) }]),
  ];
  return (
    <Dialog isOpen title={t(`account.movement.${kind}`)} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {kind === 'withdraw' && (
          <WithdrawalWay
            label={t('account.movement.withdraw')}
            status={statusOf(movement, withdrawal)}
            error={withdrawal?.error ?? undefined}
          />
        )}
        <Terms rows={facts} />
        {other !== undefined && (
          <Long
            label={t(kind === 'receive' ? 'account.sender' : 'account.receiver')}
            text={other}
          />
        )}
        {typeof withdrawal?.txHash === 'string' && (
          <Long label={t('account.onChainTransaction')} text={withdrawal.txHash} />
        )}
        {kind === 'deposit' ? (
          <Long label={t('account.onChainTransaction')} text={hash} />
        ) : (
          <Long label={t('account.venueTransaction')} text={hash}>
            <Link
              to={`/explorer/tx/${hash}` as '/'}
              className="text-12 text-accent hover:underline"
            >
              {t('account.inExplorer')}
            </Link>
          </Long>
        )}
      </div>
    </Dialog>
  );
}

type LongProps = { readonly label: string; readonly text: string; readonly children?: ReactNode };

function Long({ label, text, children }: LongProps) {
  return (
    <div className="flex flex-col gap-1">
      <p className="flex items-center justify-between gap-4 text-12 text-muted">
        {label}
        <span className="flex items-center gap-3">
          {children}
          <CopyButton text={text} />
        </span>
      </p>
      <p className="break-all">
        <Code>{text}</Code>
      </p>
    </div>
  );
}
