import type { Client, Settings } from '@oddlot/sdk';
import { useState } from 'react';
import { compare, subtract } from '../../../lib/decimal.ts';
import { money, short } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { accountStates } from '../../../market/account.ts';
import { chainName, hasChain } from '../../../session/settlement-chain.ts';
import { TextField } from '../../../ui/text-field.tsx';
import { useDoing } from '../../../ui/use-doing.ts';
import { isAddress } from '../../../lib/is-address.ts';
import { AmountField, checkAmount, lackOf } from './amount-field.tsx';
import { SendButton } from './send-button.tsx';
import { Terms } from './terms.tsx';
import { askWithdrawals } from './use-withdrawals.ts';

/** USDC of the account out to the settlement chain. */
export function WithdrawForm({
  user,
  owner,
  settings,
}: {
  readonly user: string;
  readonly owner: Client;
  readonly settings: Settings;
}) {
  const t = useWords();
  const free = accountStates.use({ user, accountType: 'perp' }, ({ state }) => state?.withdrawable);
  const [amount, setAmount] = useState('');
  const [destination, setDestination] = useState<string>(user);
  const doing = useDoing();
  const fee = settings.withdraw_fee;
  const limits = { most: free, least: settings.min_withdraw };
  const isFit = checkAmount(amount, limits, t).isFit;
  const to = destination.trim().toLowerCase();
  const isReady = isFit && isAddress(to);
  const receives = isFit && compare(amount, fee) > 0 ? subtract(amount, fee) : undefined;
  const send = async (): Promise<void> => {
    if (!isReady || doing.isBusy) return;
    const isSent = await doing.run(() =>
      owner.exchange.withdraw3({ destination: to, amount }, { confirm: 'executed' }),
    );
    if (!isSent) return;
    setAmount('');
    askWithdrawals();
  };
  if (!hasChain(settings)) return <p className="text-12 text-muted">{t('account.noChain')}</p>;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-12 text-muted">{t('account.withdrawText')}</p>
      <AmountField
        value={amount}
        onChange={setAmount}
        onEnter={() => void send()}
        limits={limits}
        source={t('account.perpPart')}
      />
      <TextField
        label={t('account.destination', { chain: chainName(settings) })}
        value={destination}
        isCode
        onChange={setDestination}
        fault={destination === '' || isAddress(to) ? undefined : t('wallet.watchFault')}
      />
      {isAddress(to) && to !== user && <Elsewhere />}
      <Terms
        rows={[
          { label: t('account.fee'), value: `${money(fee)} USDC` },
          {
            label: t('account.receives', { address: isAddress(to) ? short(to) : '–' }),
            value: receives === undefined ? '–' : `${money(receives)} USDC`,
          },
        ]}
      />
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

function Elsewhere() {
  const t = useWords();
  return <p className="border-l-2 border-warning pl-3 text-12">{t('account.otherDestination')}</p>;
}
