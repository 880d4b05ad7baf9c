import type { Client, Settings } from '@oddlot/sdk';
import { lazy, Suspense, useState } from 'react';
import { useWords } from '../../../lib/words.ts';
import { doneOnce } from '../../../session/sent-once.ts';
import { chainName, hasChain } from '../../../session/settlement-chain.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { askWithdrawals } from './use-withdrawals.ts';
import { WithdrawFields } from './withdraw-fields.tsx';

const RelayWithdraw = lazy(async () => ({
  default: (await import('./relay-withdraw.tsx')).RelayWithdraw,
}));

export type WithdrawFormProps = {
  readonly user: string;
  readonly owner: Client;
  readonly settings: Settings;
};

/** USDC of the account out to the settlement chain, or where there is a relay to another one. */
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
