import { formatDecimal, MONEY_DECIMALS } from '@oddlot/units';
import type { BridgeRequest } from './bridge-request.ts';

/** What is asked for, line by line, for the one who signs it. */
export function describeRequest(request: BridgeRequest): readonly string[] {
  const place = `bridge ${request.bridge} on chain ${request.chainId}`;
  if (request.primaryType === 'Rotation') {
    const { guardian, nonce, threshold, validators } = request.message;
    return [
      `replace the validators and the guardian of ${place}`,
      ...validators.map((validator) => `  validator ${validator}`),
      `  ${threshold} of ${validators.length} must sign`,
      `  guardian  ${guardian}`,
      `  rotation  ${nonce}`,
    ];
  }
  if (request.primaryType === 'Unpause') {
    return [`unpause ${place} (pause ${request.message.nonce})`];
  }
  if (request.primaryType === 'Cancellation') {
    return [`irrevocably cancel withdrawal ${request.message.withdrawalId} on ${place}`];
  }
  const { destination, usd, user, withdrawalId } = request.message;
  const amount = `${formatDecimal(BigInt(usd), MONEY_DECIMALS)} USDC`;
  const { deposit } = request;
  if (deposit === undefined) {
    return [
      `move all users' money out of ${place}`,
      `  amount    ${amount}`,
      `  to bridge ${destination}`,
      `  id        ${withdrawalId}`,
    ];
  }
  return [
    `return a deposit from ${place}`,
    `  deposit   ${deposit.txHash}, log ${deposit.logIndex}`,
    `  amount    ${amount}`,
    `  to        ${destination}`,
    `  from      ${user}`,
    `  id        ${withdrawalId}`,
  ];
}
