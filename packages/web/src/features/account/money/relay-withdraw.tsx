import type { RelayChainRow } from '@oddlot/sdk';
import { useState } from 'react';
import { useWords } from '../../../lib/words.ts';
import { queryClient } from '../../../market/queries.ts';
import { doneOnce } from '../../../session/sent-once.ts';
import { loadSigning } from '../../../session/session.ts';
import { Segmented } from '../../../ui/controls.tsx';
import { ErrorSentence } from '../../../ui/states.tsx';
import {
  RELAY_TRANSFERS,
  relayChainName,
  RelayTransfers,
  useRelayChains,
  type RelaySettings,
} from './relay-transfers.tsx';
import { WithdrawFields, type WithdrawalOrder, type WithdrawFormProps } from './withdraw-form.tsx';

type RelayWithdrawProps = WithdrawFormProps & { readonly settings: RelaySettings };

export function RelayWithdraw(props: RelayWithdrawProps) {
  const { settings, user } = props;
  const { chains, error } = useRelayChains(settings);
  if (error !== null) return <ErrorSentence error={error} />;
  if (chains.length === 0) return null;
  return (
    <>
      <Form {...props} chains={chains} />
      <RelayTransfers user={user} url={settings.relay_url} direction="withdraw" />
    </>
  );
}

function Form({
  user,
  owner,
  settings: { chain_name: srcChain, relay_url: url },
  chains,
}: RelayWithdrawProps & { readonly chains: readonly RelayChainRow[] }) {
  const t = useWords();
  const [name, setName] = useState(chains.at(-1)!.chain);
  const chain = chains.find((each) => each.chain === name) ?? chains[0]!;
  const send = async ({ amount, destination: dstAddr }: WithdrawalOrder): Promise<void> => {
    const relay = (await loadSigning()).relayAt(url);
    const way = { srcChain, dstChain: chain.chain, asset: 'USDC', dstAddr } as const;
    const { pegAddress: destination } = await relay.pegAddress(way);
    await doneOnce(owner, ({ exchange }) =>
      exchange.sendTo({ destination, amount }, { confirm: 'executed' }),
    );
  };
  return (
    <WithdrawFields
      user={user}
      text={t('account.relayOutText')}
      chain={relayChainName(chain.chain)}
      least={chain.minWithdraw}
      fee={chain.withdrawFee}
      onSend={send}
      onSent={() => void queryClient.invalidateQueries({ queryKey: [RELAY_TRANSFERS] })}
    >
      <Segmented
        label={t('account.relayOutChain')}
        value={chain.chain}
        onChange={setName}
        segments={chains.map((each) => ({ value: each.chain, label: relayChainName(each.chain) }))}
      />
    </WithdrawFields>
  );
}
