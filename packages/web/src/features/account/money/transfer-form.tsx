import type { Client } from '@oddlot/sdk';
import { useState } from 'react';
import { money, short } from '../../../lib/format.ts';
import { isAddress } from '../../../lib/typed-text.ts';
import { useWords } from '../../../lib/words.ts';
import { accountStates } from '../../../market/account.ts';
import { doneOnce } from '../../../session/sent-once.ts';
import { emptied, Segmented, TextField } from '../../../ui/controls.tsx';
import { notify } from '../../../ui/overlays.tsx';
import { useDoing } from '../../../ui/states.tsx';
import { AmountField, checkAmount, lackOf, SendButton } from './money-fields.tsx';

type Part = 'perp' | 'outcome';
type Whom = 'own' | 'other';

export function TransferForm({ user, owner }: { readonly user: string; readonly owner: Client }) {
  const t = useWords();
  const [whom, setWhom] = useState<Whom>('own');
  const [from, setFrom] = useState<Part>('perp');
  const [toPart, setToPart] = useState<Part>('perp');
  const [destination, setDestination] = useState('');
  const [amount, setAmount] = useState('');
  const doing = useDoing();
  const free = accountStates.use({ user, accountType: from }, ({ state }) => state?.withdrawable);
  const limits = { most: free };
  const to = destination.trim().toLowerCase();
  const isOwn = whom === 'own';
  const isReady = checkAmount(amount, limits, t).isFit && (isOwn || isAddress(to));
  const send = async (): Promise<void> => {
    if (!isReady || doing.isBusy) return;
    const isSent = await doing.run(() =>
      transfer(owner, isOwn ? { from, amount } : { from, amount, destination: to, toPart }),
    );
    if (!isSent) return;
    notify({ title: t('account.transferred', { amount: money(amount) }) });
    setAmount(emptied(amount));
  };
  return (
    <div className="flex flex-col gap-3">
      <WhomChoice value={whom} onChange={setWhom} />
      <PartChoice
        label={t('account.from')}
        value={from}
        onChange={setFrom}
        words={
          isOwn
            ? [t('account.perpToOutcome'), t('account.outcomeToPerp')]
            : [t('account.perp'), t('account.outcome')]
        }
      />
      {!isOwn && (
        <Receiver
          destination={destination}
          onDestination={setDestination}
          part={toPart}
          onPart={setToPart}
        />
      )}
      <AmountField
        value={amount}
        onChange={setAmount}
        onEnter={() => void send()}
        limits={limits}
        source={t(from === 'perp' ? 'account.perpPart' : 'account.outcomePart')}
      />
      <SendButton
        doing={doing}
        isReady={isReady}
        label={
          !isReady
            ? lackOf('transfer', { amount, hasAddress: isOwn || isAddress(to) }, t)
            : isOwn
              ? t('account.transferButton', { amount: money(amount) })
              : t('account.sendButton', { amount: money(amount), address: short(to) })
        }
        onSend={() => void send()}
      />
    </div>
  );
}

type Transfer =
  | { readonly from: Part; readonly amount: string; readonly destination?: undefined }
  | Readonly<{ from: Part; amount: string; destination: string; toPart: Part }>;

function transfer(owner: Client, order: Transfer): Promise<void> {
  const { amount, from } = order;
  return doneOnce(owner, ({ exchange }) => {
    if (order.destination === undefined) {
      const to = from === 'perp' ? 'outcome' : 'perp';
      return exchange.transferBetween({ from, to, amount }, { confirm: 'executed' });
    }
    const { destination, toPart: to } = order;
    return exchange.sendTo({ destination, amount, from, to }, { confirm: 'executed' });
  });
}

type ReceiverProps = {
  readonly destination: string;
  readonly onDestination: (destination: string) => void;
  readonly part: Part;
  readonly onPart: (part: Part) => void;
};

function Receiver({ destination, onDestination, part, onPart }: ReceiverProps) {
  const t = useWords();
  const isFit = destination === '' || isAddress(destination.trim());
  return (
    <>
      <TextField
        label={t('account.receiver')}
        value={destination}
        placeholder="0x…"
        isCode
        onChange={onDestination}
        fault={isFit ? undefined : t('wallet.watchFault')}
      />
      <PartChoice
        label={t('account.receiverPart')}
        value={part}
        onChange={onPart}
        words={[t('account.perp'), t('account.outcome')]}
      />
    </>
  );
}

type WhomChoiceProps = { readonly value: Whom; readonly onChange: (whom: Whom) => void };

function WhomChoice({ value, onChange }: WhomChoiceProps) {
  const t = useWords();
  return (
    <Segmented
      label={t('account.whom')}
      size="small"
      value={value}
      onChange={onChange}
      segments={[
        { value: 'own', label: t('account.toOwn') },
        { value: 'other', label: t('account.toOther') },
      ]}
    />
  );
}

type PartChoiceProps = {
  readonly label: string;
  readonly value: Part;
  readonly onChange: (part: Part) => void;
  readonly words: readonly [string, string];
};

function PartChoice({ label, value, onChange, words: [perp, outcome] }: PartChoiceProps) {
  return (
    <div>
      <p className="mb-1 text-12 text-muted" aria-hidden="true">
        {label}
      </p>
      <Segmented
        label={label}
        value={value}
        onChange={onChange}
        segments={[
          { value: 'perp', label: perp },
          { value: 'outcome', label: outcome },
        ]}
      />
    </div>
  );
}
