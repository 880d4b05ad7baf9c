import type { Client, LedgerUpdate, Settings } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../../lib/browser.ts';
import { ledgerLists } from '../../../market/account-lists.ts';
import { queryClient } from '../../../market/queries.ts';
import { reader, venueNow } from '../../../market/venue.ts';
import { providerOf } from '../../../session/browser-wallets.ts';
import { loadSigning } from '../../../session/session.ts';
import {
  joinChain,
  permitNonce,
  sendDeposit,
  toMicro,
  usdcOf,
  type Chain,
} from '../../../session/settlement-chain.ts';

export type DepositWay = 'permit' | 'transaction';
export type DepositStep = 'sign' | 'approve' | 'send';

type DepositOrder = {
  readonly user: string;
  readonly owner: Client;
  readonly settings: Settings;
  readonly amount: string;
  readonly way: DepositWay;
  readonly onStep: (step: DepositStep) => void;
};

const PERMIT_SECONDS = 3_600;

export async function deposit(order: DepositOrder): Promise<void> {
  const { amount, user, way } = order;
  const txHash = way === 'permit' ? await byPermit(order) : await byTransaction(order);
  noteDeposit({ user, amount, txHash, sentMs: venueNow() });
}

async function byPermit({ amount, onStep, owner, settings, user }: DepositOrder): Promise<string> {
  const provider = providerOf(user);
  onStep('sign');
  if (provider !== undefined) await joinChain(provider, settings);
  const nonce = await permitNonce(settings, user, provider);
  const { signPermit } = await loadSigning();
  const signed = await signPermit(owner.wallet!, {
    settings,
    usd: Number(toMicro(amount)),
    nonce,
    deadline: Math.floor(venueNow() / 1_000) + PERMIT_SECONDS,
  });
  onStep('send');
  const { txHash } = await reader.info.depositWithPermit(signed);
  return txHash;
}

async function byTransaction(order: DepositOrder): Promise<string> {
  const { amount, onStep, settings, user } = order;
  const provider = providerOf(user);
  if (provider === undefined) throw new Error('No connected wallet can send the transaction');
  onStep('approve');
  return sendDeposit(provider, settings, {
    from: user,
    usd: toMicro(amount),
    onApproved: () => onStep('send'),
  });
}

/**
 * A deposit that was sent but has not been credited yet. It is stored so that it survives a reload.
 */
export type DepositUnderWay = {
  readonly user: string;
  readonly amount: string;
  readonly txHash: string;
  readonly sentMs: number;
};

const KEY = 'oddlot.deposits';
const RETENTION_MS = 24 * 60 * 60 * 1_000;

export const depositsUnderWay = createStore<{ readonly sent: readonly DepositUnderWay[] }>(() => ({
  sent: storedDeposits(),
}));

function noteDeposit(sent: DepositUnderWay): void {
  write([sent, ...depositsUnderWay.getState().sent]);
}

export function forgetDeposit(txHash: string): void {
  write(depositsUnderWay.getState().sent.filter((each) => each.txHash !== txHash));
}

export function settleDeposits(
  sent: readonly DepositUnderWay[],
  rows: readonly LedgerUpdate[],
  nowMs: number,
): void {
  const open = stillOpen(sent, rows, nowMs);
  if (open.length < sent.length) write(open);
}

function stillOpen(
  sent: readonly DepositUnderWay[],
  rows: readonly LedgerUpdate[],
  nowMs: number,
): readonly DepositUnderWay[] {
  const credited = new Set(
    rows.filter(({ delta }) => delta.type === 'deposit').map(({ hash }) => hash.toLowerCase()),
  );
  return sent.filter(
    ({ sentMs, txHash }) => nowMs - sentMs < RETENTION_MS && !credited.has(txHash.toLowerCase()),
  );
}

function write(sent: readonly DepositUnderWay[]): void {
  depositsUnderWay.setState({ sent });
  keepText(KEY, JSON.stringify(sent));
}

function storedDeposits(): readonly DepositUnderWay[] {
  try {
    const read: unknown = JSON.parse(readText(KEY) ?? '[]');
    return Array.isArray(read) ? (read as DepositUnderWay[]) : [];
  } catch {
    return [];
  }
}

const EVERY_MS = 5_000;
const NAME = 'chainBalance';

export function useChainBalance(chain: Chain | undefined, user: string): string | undefined {
  const moved = ledgerLists.use(user, ({ rows }) => {
    const paid = rows.filter(
      ({ delta }) => delta.type === 'withdraw' && delta.status !== 'pending',
    );
    return `${rows[0]?.time} ${paid.length}`;
  });
  const wallet = providerOf(user);
  return useQuery({
    queryKey: [NAME, user, moved],
    queryFn: () => usdcOf(chain!, user, wallet),
    enabled: chain !== undefined && (chain.settlement_rpc_url !== null || wallet !== undefined),
    placeholderData: (before) => before,
    staleTime: 0,
    refetchInterval: EVERY_MS,
  }).data;
}

export function askChainBalance(): void {
  void queryClient.invalidateQueries({ queryKey: [NAME] });
}
