import type { RelayStatus, RelayTransfer } from '@oddlot/sdk';
import { formatMoney } from '@oddlot/units';
import type { Hex } from 'viem';
import { type GivenAddress, sumOf, type Transfer, type Trouble } from '../book/records.ts';

/** An address and what came there: nothing yet, or a transfer, and what blocks have on top of that. */
type Shown = {
  readonly address: GivenAddress;
  readonly transfer: Transfer | undefined;
  readonly unconfirmed: { readonly amountMicro: bigint; readonly txHash: Hex } | undefined;
};

/** A transfer as users see it. */
export function transferRow(
  { address, transfer, unconfirmed }: Shown,
  { nowMs, venue }: { readonly nowMs: number; readonly venue: string },
): RelayTransfer {
  const isDeposit = address.kind === 'deposit';
  // What is not deep enough belongs to the transfer that still takes money.
  const isOpen = transfer === undefined || transfer.state === 'collecting';
  const coming = isOpen ? unconfirmed : undefined;
  const amount = (transfer === undefined ? 0n : sumOf(transfer)) + (coming?.amountMicro ?? 0n);
  const status = coming === undefined ? statusOf(transfer, address, nowMs) : 'confirming';
  const trouble = status === 'relaying' ? transfer?.trouble : undefined;
  return {
    id: transfer?.id ?? address.id,
    direction: isDeposit ? 'deposit' : 'withdraw',
    srcChain: isDeposit ? address.chain : venue,
    dstChain: isDeposit ? venue : address.chain,
    asset: 'USDC',
    amount: formatMoney(amount),
    fee: formatMoney(BigInt(address.feeMicro)),
    address: address.address,
    srcTxHash: transfer?.arrivals.at(-1)?.txHash ?? coming?.txHash ?? null,
    dstTxHash: transfer?.dstTxHash ?? null,
    status,
    ...(trouble === undefined ? {} : { trouble: TROUBLES[trouble.what] }),
    createTime: transfer?.createMs ?? address.createMs,
    updateTime: transfer?.updateMs ?? address.createMs,
  };
}

/** Without what endpoints said and without what the relay owns: that is for its operator. */
const TROUBLES: Readonly<Record<Trouble['what'], string>> = {
  float: 'Waiting for funds of the relay on the other chain',
  chain: 'Waiting for the chain to confirm the transaction',
  bridge: 'The bridge does not accept the transaction at the moment',
  token: 'The token rejects the recipient; the money is returned',
  venue: 'The venue does not accept the transfer at the moment',
  receiver: 'This address cannot receive money',
  peg:
    'The balance of the relay withdrawal address is too low; the operator of the relay ' +
    'must check it',
};

function statusOf(
  transfer: Transfer | undefined,
  { expireMs }: GivenAddress,
  nowMs: number,
): RelayStatus {
  switch (transfer?.state) {
    case undefined:
      // Nothing came in time; what still comes is handed on all the same.
      return nowMs < expireMs ? 'waiting' : 'failed';
    case 'collecting':
      return 'waiting';
    case 'paying':
    case 'refunding':
      return 'relaying';
    case 'completed':
      return 'completed';
    case 'refunded':
      return 'refunded';
  }
}
