import type { Client } from '@oddlot/sdk';
import { useState, type ReactNode } from 'react';
import { money, short } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { accountStates } from '../../../market/account.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { notify } from '../../../ui/toast.tsx';
import { useDoing } from '../../../ui/use-doing.ts';
import { isAddress } from '../is-address.ts';
import { AmountField, checkAmount } from './amount-field.tsx';

type Part = 'perp' | 'outcome';

/** Between the two parts of the account, or to somebody else. */
export function TransferForm({ user, owner }: { readonly user: string; readonly owner: Client }) {
  const t = useWords();
  const [whom, setWhom] = useState<'own' | 'other'>('own');
  const [from, setFrom] = useState<Part>('perp');
  const [toPart, setToPart] = useState<Part>('perp');
  const [destination, setDestination] = useState('');
  const [amount, setAmount] = useState('');
  const { error, isBusy, run } = useDoing();
  const free = accountStates.use({ user, accountType: from }, ({ state }) => state?.withdrawable);
  const limits = { most: free };
  const to = destination.trim().toLowerCase();
  const isOwn = whom === 'own';
  const isReady = checkAmount(amount, limits, t).isFit && (isOwn || isAddress(to));
  const other: Part = from === 'perp' ? 'outcome' : 'perp';
  const send = async (): Promise<void> => {
    if (!isReady || isBusy) return;
    const isSent = await run(() =>
      isOwn
        ? owner.exchange.transferBetween({ from, to: other, amount }, { confirm: 'executed' })
        : owner.exchange.sendTo(
            { destination: to, amount, from, to: toPart },
            { confirm: 'executed' },
          ),
    );
    if (!isSent) return;
    notify({ title: t('account.transferred', { amount: money(amount) }) });
    setAmount('');
  };
  const parts = (['perp', 'outcome'] as const).map((value) => ({
    value,
    label: t(value === 'perp' ? 'account.perp' : 'account.outcome'),
  }));
  return (
    <div className="flex flex-col gap-3">
      <Segmented
        label={t('account.whom')}
        size="small"
        value={whom}
        onChange={setWhom}
        segments={[
          { value: 'own', label: t('account.toOwn') },
          { value: 'other', label: t('account.toOther') },
        ]}
      />
      <Labelled label={t('account.from')}>
        <Segmented
          label={t('account.from')}
          value={from}
          onChange={setFrom}
          segments={parts.map((part) =>
            isOwn
              ? {
                  ...part,
                  label: t(
                    part.value === 'perp' ? 'account.perpToOutcome' : 'account.outcomeToPerp',
                  ),
                }
              : part,
          )}
        />
      </Labelled>
      {!isOwn && (
        <>
          <TextField
            label={t('account.receiver')}
            value={destination}
            placeholder="0x…"
            onChange={setDestination}
            fault={destination === '' || isAddress(to) ? undefined : t('wallet.watchFault')}
          />
          <Labelled label={t('account.receiverPart')}>
            <Segmented
              label={t('account.receiverPart')}
              value={toPart}
              onChange={setToPart}
              segments={parts}
            />
          </Labelled>
        </>
      )}
      <AmountField
        value={amount}
        onChange={setAmount}
        onEnter={() => void send()}
        limits={limits}
        source={t(from === 'perp' ? 'account.perpPart' : 'account.outcomePart')}
      />
      <Button
        kind="accent"
        size="large"
        isWide
        isBusy={isBusy}
        disabled={!isReady}
        onClick={() => void send()}
      >
        {!isReady
          ? t('account.form.transfer')
          : isOwn
            ? t('account.transferButton', { amount: money(amount) })
            : t('account.sendButton', { amount: money(amount), address: short(to) })}
      </Button>
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  );
}

function Labelled({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <p className="mb-1 text-12 text-muted" aria-hidden="true">
        {label}
      </p>
      {children}
    </div>
  );
}
