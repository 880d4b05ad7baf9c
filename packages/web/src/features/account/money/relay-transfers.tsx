import type { RelayChainRow, RelayTransfer, Settings } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { dateTime, money, short } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { loadSigning } from '../../../session/session.ts';
import { Code, CopyButton, Ladder } from '../../../ui/figures.tsx';

const EVERY_MS = 2_000;
const SHOWN_MAX = 5;
const STEPS = ['waiting', 'confirming', 'relaying', 'completed'] as const;
export const RELAY_TRANSFERS = 'relayTransfers';

type RelayTransfersProps = {
  readonly user: string;
  readonly url: string;
  readonly direction: RelayTransfer['direction'];
};

export function RelayTransfers({ user, url, direction }: RelayTransfersProps) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: [RELAY_TRANSFERS, url, user],
    queryFn: async () => (await loadSigning()).relayAt(url).transfers({ user }),
    refetchInterval: EVERY_MS,
  });
  const shown = data?.items.filter((transfer) => transfer.direction === direction) ?? [];
  if (shown.length === 0) return null;
  return (
    <ul aria-label={t('account.relayTransfers')} className="flex flex-col">
      {shown.slice(0, SHOWN_MAX).map((transfer) => (
        <Transfer key={transfer.id} transfer={transfer} />
      ))}
    </ul>
  );
}

function Transfer({ transfer }: { readonly transfer: RelayTransfer }) {
  const t = useWords();
  const { address, createTime, status, trouble } = transfer;
  const isDeposit = transfer.direction === 'deposit';
  // A withdrawal's amount has already left the venue, whereas a deposit's amount is known only once
  // it has arrived.
  const hasCome = !isDeposit || transfer.srcTxHash !== null;
  const title = titleOf(transfer, t);
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
          {t(faultWords(status, isDeposit), { address: short(address) })}
        </p>
      ) : !hasCome ? (
        <p className="text-12 text-muted">{t('account.relayNothing')}</p>
      ) : (
        <Ladder
          label={title}
          steps={STEPS.map((step) =>
            t(isDeposit ? `account.relayStep.${step}` : `account.relayOutStep.${step}`),
          )}
          reached={status === 'completed' ? STEPS.length : reached}
          isStopped={trouble !== undefined}
        />
      )}
      {trouble !== undefined && (
        <p role="status" className="border-s-2 border-warning ps-3 text-12">
          {t('account.waitsFor', { error: trouble })}
        </p>
      )}
    </li>
  );
}

function titleOf(
  { amount, direction, dstChain, fee, srcChain, srcTxHash }: RelayTransfer,
  t: Words,
): string {
  const sums = { amount: money(amount), fee: money(fee) };
  if (direction !== 'deposit') {
    return t('account.relayOutOf', { ...sums, chain: relayChainName(dstChain) });
  }
  const chain = relayChainName(srcChain);
  return srcTxHash === null
    ? t('account.relaySend', { chain })
    : t('account.relayOf', { ...sums, chain });
}

function faultWords(status: RelayTransfer['status'], isDeposit: boolean) {
  if (status === 'failed') return 'account.relayFailed';
  return isDeposit ? 'account.relayRefunded' : 'account.relayOutRefunded';
}

const NONE: readonly RelayChainRow[] = [];

export type RelaySettings = Extract<Settings, { has_relay: true }>;

export function useRelayChains({
  relay_url: url,
  settlement_chain_id: settlement,
}: RelaySettings): { readonly chains: readonly RelayChainRow[]; readonly error: Error | null } {
  const { data, error } = useQuery({
    queryKey: ['relayChains', url],
    queryFn: async () => (await loadSigning()).relayAt(url).chains(),
  });
  const chains = data?.filter(({ chainId, enabled }) => enabled && chainId !== settlement) ?? NONE;
  return { chains, error };
}

export function relayChainName(chain: string): string {
  return chain.charAt(0).toUpperCase() + chain.slice(1);
}
