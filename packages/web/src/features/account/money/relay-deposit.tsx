import type { RelayChainRow } from '@oddlot/sdk';
import { useState } from 'react';
import { usdc } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { queryClient } from '../../../market/queries.ts';
import { loadSigning } from '../../../session/session.ts';
import { Segmented } from '../../../ui/controls.tsx';
import { ErrorSentence, useDoing } from '../../../ui/states.tsx';
import { SendButton, Terms } from './money-fields.tsx';
import {
  RELAY_TRANSFERS,
  relayChainName,
  RelayTransfers,
  useRelayChains,
  type RelaySettings,
} from './relay-transfers.tsx';

type RelayDepositProps = { readonly user: string; readonly settings: RelaySettings };

export function RelayDeposit({ user, settings }: RelayDepositProps) {
  const { relay_url: url } = settings;
  const { chains: open, error } = useRelayChains(settings);
  if (error !== null) return <ErrorSentence error={error} />;
  if (open.length === 0) return null;
  return (
    <>
      <AskAddress user={user} settings={settings} chains={open} />
      <RelayTransfers user={user} url={url} direction="deposit" />
    </>
  );
}

function AskAddress({
  user,
  settings: { chain_name: dstChain, relay_url: url },
  chains,
}: Readonly<{ user: string; settings: RelaySettings; chains: readonly RelayChainRow[] }>) {
  const t = useWords();
  const [name, setName] = useState(chains.at(-1)!.chain);
  const doing = useDoing();
  const chain = chains.find((each) => each.chain === name) ?? chains[0]!;
  const ask = (): Promise<boolean> =>
    doing.run(async () => {
      const relay = (await loadSigning()).relayAt(url);
      await relay.depositAddress({ srcChain: chain.chain, dstChain, asset: 'USDC', dstAddr: user });
      await queryClient.invalidateQueries({ queryKey: [RELAY_TRANSFERS] });
    });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-12 text-muted">{t('account.relayText')}</p>
      {chains.length > 1 && (
        <Segmented
          label={t('account.relayChain')}
          value={chain.chain}
          onChange={setName}
          segments={chains.map((each) => ({
            value: each.chain,
            label: relayChainName(each.chain),
          }))}
        />
      )}
      <Terms
        rows={[
          { label: t('account.arrives'), value: t('account.perpPart') },
          { label: t('account.leastDeposit'), value: usdc(chain.minDeposit) },
        ]}
      />
      <SendButton
        doing={doing}
        isReady
        label={t('account.relayAsk', { chain: relayChainName(chain.chain) })}
        onSend={() => void ask()}
      />
    </div>
  );
}
