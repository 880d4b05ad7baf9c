import { useQuery } from '@tanstack/react-query';
import type { RelayChainRow, RelayTransfer, Settings } from '@oddlot/sdk';
import { useState } from 'react';
import { money, short } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords } from '../../../lib/words.ts';
import { queryClient } from '../../../market/queries.ts';
import { loadSigning } from '../../../session/load-signing.ts';
import { Code } from '../../../ui/code.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { Ladder } from '../../../ui/ladder.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { useDoing } from '../../../ui/use-doing.ts';
import { SendButton } from './send-button.tsx';
import { Terms } from './terms.tsx';

const EVERY_MS = 2_000;
const SHOWN_MAX = 5;
const STEPS = ['waiting', 'confirming', 'relaying', 'completed'] as const;
const TRANSFERS = 'relayTransfers';

/** USDC from another chain, by an address of the relay that is this account's alone. */
export function RelayDeposit({
  user,
  settings,
}: {
  readonly user: string;
  readonly settings: Settings;
}) {
  const { relay_url: url } = settings;
  const { data: chains, error } = useQuery({
    queryKey: ['relayChains', url],
    queryFn: async () => (await loadSigning()).relayAt(url).chains(),
  });
  if (error !== null) return <ErrorSentence error={error} />;
  // The settlement chain needs no relay.
  const open =
    chains?.filter(({ chainId, enabled }) => enabled && chainId !== settings.settlement_chain_id) ??
    [];
  if (open.length === 0) return null;
  return (
    <>
      <AskAddress user={user} settings={settings} chains={open} />
      <Transfers user={user} url={url} />
    </>
  );
}

function AskAddress({
  user,
  settings: { chain_name: dstChain, relay_url: url },
  chains,
}: {
  readonly user: string;
  readonly settings: Settings;
  readonly chains: readonly RelayChainRow[];
}) {
  const t = useWords();
  const [name, setName] = useState(chains.at(-1)!.chain);
  const doing = useDoing();
  const chain = chains.find((each) => each.chain === name) ?? chains[0]!;
  const ask = (): Promise<boolean> =>
    doing.run(async () => {
      const relay = (await loadSigning()).relayAt(url);
      await relay.depositAddress({ srcChain: chain.chain, dstChain, asset: 'USDC', dstAddr: user });
      await queryClient.invalidateQueries({ queryKey: [TRANSFERS] });
    });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-12 text-muted">{t('account.relayText')}</p>
      <Segmented
        label={t('account.relayChain')}
        value={chain.chain}
        onChange={setName}
        segments={chains.map((each) => ({ value: each.chain, label: nameOf(each.chain) }))}
      />
      <Terms
        rows={[
          { label: t('account.arrives'), value: t('account.perpPart') },
          { label: t('account.leastDeposit'), value: `${money(chain.minDeposit)} USDC` },
        ]}
      />
      <SendButton
        doing={doing}
        isReady
        label={t('account.relayAsk', { chain: nameOf(chain.chain) })}
        onSend={() => void ask()}
      />
    </div>
  );
}

/** What the relay has of this account: addresses that wait, and money on its way. */
function Transfers({ user, url }: { readonly user: string; readonly url: string }) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: [TRANSFERS, url, user],
    queryFn: async () => (await loadSigning()).relayAt(url).transfers({ user }),
    refetchInterval: EVERY_MS,
  });
  const deposits = data?.items.filter(({ direction }) => direction === 'deposit') ?? [];
  if (deposits.length === 0) return null;
  return (
    <ul aria-label={t('account.relayTransfers')} className="flex flex-col">
      {deposits.slice(0, SHOWN_MAX).map((transfer) => (
        <Transfer key={transfer.id} transfer={transfer} />
      ))}
    </ul>
  );
}

function Transfer({ transfer }: { readonly transfer: RelayTransfer }) {
  const t = useWords();
  const { address, amount, createTime, fee, srcChain, status, trouble } = transfer;
  const hasCome = transfer.srcTxHash !== null;
  const title = hasCome
    ? t('account.relayOf', { amount: money(amount), chain: nameOf(srcChain), fee: money(fee) })
    : t('account.relaySend', { chain: nameOf(srcChain) });
  const reached = STEPS.indexOf(status as (typeof STEPS)[number]);
  return (
    <li className="flex flex-col gap-2 border-t border-line py-3">
      <p className="flex items-baseline justify-between gap-4 text-13">
        <span>{title}</span>
        {hasCome ? (
          <span className="shrink-0 text-11 text-faint">{dateTime(createTime)}</span>
        ) : (
          <CopyButton text={address} />
        )}
      </p>
      {!hasCome && (
        <p className="rounded border border-line bg-canvas/60 p-2 break-all">
          <Code>{address}</Code>
        </p>
      )}
      {reached < 0 ? (
        <p className="text-12 text-warning">
          {t(status === 'failed' ? 'account.relayFailed' : 'account.relayRefunded', {
            address: short(address),
          })}
        </p>
      ) : (
        <Ladder
          label={title}
          steps={STEPS.map((step) => t(`account.relayStep.${step}`))}
          reached={status === 'completed' ? STEPS.length : reached}
          isStopped={trouble !== undefined}
        />
      )}
      {trouble !== undefined && (
        <p role="status" className="border-l-2 border-warning pl-3 text-12">
          {t('account.waitsFor', { error: trouble })}
        </p>
      )}
    </li>
  );
}

/** `base` is written `Base`. */
function nameOf(chain: string): string {
  return chain.charAt(0).toUpperCase() + chain.slice(1);
}
