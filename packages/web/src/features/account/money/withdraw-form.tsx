import type { Client, Settings } from '@oddlot/sdk';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { compare, subtract } from '../../../lib/decimal.ts';
import { money, short, usdc } from '../../../lib/format.ts';
import { isAddress } from '../../../lib/typed-text.ts';
import { useWords } from '../../../lib/words.ts';
import { accountStates } from '../../../market/account.ts';
import { doneOnce } from '../../../session/sent-once.ts';
import { chainName, hasChain } from '../../../session/settlement-chain.ts';
import { emptied, Segmented, TextField } from '../../../ui/controls.tsx';
import { useDoing } from '../../../ui/states.tsx';
import { AmountField, checkAmount, lackOf, SendButton, Terms } from './money-fields.tsx';
import { askWithdrawals } from './withdrawals.tsx';

const RelayWithdraw = lazy(async () => ({
  default: (await import('./relay-withdraw.tsx')).RelayWithdraw,
}));

export type WithdrawFormProps = Readonly<{ user: string; owner: Client; settings: Settings }>;

export function WithdrawForm(props: WithdrawFormProps) {
  const t = useWords();
  const [way, setWay] = useState<'settlement' | 'relay'>('settlement');
  const { owner, settings, user } = props;
  if (!hasChain(settings)) return <p className="text-12 text-muted">{t('account.noChain')}</p>;
  return (
    <>
      {settings.has_relay && (
        <Segmented
          label={t('account.outWay')}
          size="small"
          value={way}
          onChange={setWay}
          segments={[
            { value: 'settlement', label: chainName(settings) },
            { value: 'relay', label: t('account.ways.relay') },
          ]}
        />
      )}
      {way === 'relay' && settings.has_relay ? (
        <Suspense>
          <RelayWithdraw {...props} settings={settings} />
        </Suspense>
      ) : (
        <WithdrawFields
          user={user}
          text={t('account.withdrawText')}
          chain={chainName(settings)}
          least={settings.min_withdraw}
          fee={settings.withdraw_fee}
          onSend={(order) =>
            doneOnce(owner, ({ exchange }) => exchange.withdraw3(order, { confirm: 'executed' }))
          }
          onSent={askWithdrawals}
        />
      )}
    </>
  );
}

export type WithdrawalOrder = { readonly amount: string; readonly destination: string };

export function WithdrawFields({
  user,
  text,
  chain,
  least,
  fee,
  onSend,
  onSent,
  children,
}: {
  readonly user: string;
  readonly text: string;
  readonly chain: string;
  readonly least: string;
  readonly fee: string;
  readonly onSend: (order: WithdrawalOrder) => Promise<unknown>;
  readonly onSent: () => void;
  readonly children?: ReactNode;
}) {
  const t = useWords();
  const free = accountStates.use({ user, accountType: 'perp' }, ({ state }) => state?.withdrawable);
  const [amount, setAmount] = useState('');
  const [destination, setDestination] = useState<string>(user);
  const doing = useDoing();
  const limits = { most: free, least };
  const isFit = checkAmount(amount, limits, t).isFit;
  const to = destination.trim().toLowerCase();
  const isReady = isFit && isAddress(to);
  const send = async (): Promise<void> => {
    if (!isReady || doing.isBusy) return;
    if (!(await doing.run(() => onSend({ amount, destination: to })))) return;
    setAmount(emptied(amount));
    onSent();
  };
  return (
    <div className="flex flex-col gap-3">
      <p className="text-12 text-muted">{text}</p>
      {children}
      <AmountField
        value={amount}
        onChange={setAmount}
        onEnter={() => void send()}
        limits={limits}
        source={t('account.perpPart')}
      />
      <TextField
        label={t('account.destination', { chain })}
        value={destination}
        isCode
        onChange={setDestination}
        fault={destination === '' || isAddress(to) ? undefined : t('wallet.watchFault')}
      />
      {isAddress(to) && to !== user && (
        <p className="border-s-2 border-warning ps-3 text-12">{t('account.otherDestination')}</p>
      )}
      <Arrival amount={isFit ? amount : '0'} fee={fee} to={isAddress(to) ? short(to) : '–'} />
      <SendButton
        doing={doing}
        isReady={isReady}
        label={
          isReady
            ? t('account.withdrawButton', { amount: money(amount), address: short(to) })
            : lackOf('withdraw', { amount, hasAddress: isAddress(to) }, t)
        }
        onSend={() => void send()}
      />
    </div>
  );
}

type ArrivalProps = { readonly amount: string; readonly fee: string; readonly to: string };

function Arrival({ amount, fee, to: address }: ArrivalProps) {
  const t = useWords();
  const receives = compare(amount, fee) > 0 ? usdc(subtract(amount, fee)) : '–';
  return (
    <Terms
      rows={[
        { label: t('account.fee'), value: usdc(fee) },
        { label: t('account.receives', { address }), value: receives },
      ]}
    />
  );
}
