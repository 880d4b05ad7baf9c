import type { Command } from '@oddlot/engine';

/**
 * What each command of a log rests on, for whoever believes no venue. A new command does not compile until it has its row here.
 *
 *   account   the request that an account, or an agent of it, signed
 *   money     the same for what moves money or says who may: no sample leaves its signature out
 *   operator  the request that an admin or a deployer signed; without one only in the first block
 *   listing   the same, but a venue that shows made-up events (`exhibition`) brings them itself
 *   price     the same, but a venue may be believed its prices
 *   genesis   the first block, which whoever believes nobody has pinned
 *   replica   what this replica computed itself
 *   faucet    test money: a venue of test money gives it
 *   deposit   a log of the settlement chain
 *   payout    what the bridge says of a withdrawal
 *   bridge    the bridge that was configured
 *   peg       addresses that the relay named: they save an opening fee, and move no money
 *   reserves  what the venue says that it owes and holds: it moves no money
 *   notice    that an era comes: it moves no money
 */
export type Basis =
  | 'account'
  | 'money'
  | 'operator'
  | 'listing'
  | 'price'
  | 'genesis'
  | 'replica'
  | 'faucet'
  | 'deposit'
  | 'payout'
  | 'bridge'
  | 'peg'
  | 'reserves'
  | 'notice';

export const RESTS_ON: { readonly [Type in Command['type']]: Basis } = {
  placeOrders: 'account',
  modifyOrder: 'account',
  cancelOrders: 'account',
  cancelByClientId: 'account',
  cancelAll: 'account',
  scheduleCancel: 'account',
  reversePosition: 'account',
  operateOutcome: 'account',
  updateLeverage: 'account',
  updateMarginMode: 'account',
  updateIsolatedMargin: 'account',
  updatePositionMode: 'account',
  approveAgent: 'money',
  approveBuilder: 'money',
  revokeBuilder: 'money',
  convertToMultiSig: 'money',
  sendToken: 'money',
  withdraw: 'money',
  claimBuilderRewards: 'money',
  registerPerp: 'operator',
  setPerp: 'operator',
  setFeeTiers: 'operator',
  setGate: 'operator',
  registerVault: 'operator',
  treasurySend: 'operator',
  setOperators: 'operator',
  pushOracle: 'price',
  pushPrice: 'price',
  registerEvent: 'listing',
  registerMarket: 'listing',
  registerSeries: 'listing',
  setTrading: 'listing',
  resolveMarket: 'listing',
  genesis: 'genesis',
  attest: 'replica',
  openEra: 'replica',
  announceEra: 'notice',
  creditFaucet: 'faucet',
  creditDeposit: 'deposit',
  settleWithdrawal: 'payout',
  openBridge: 'bridge',
  registerPegs: 'peg',
  publishReserves: 'reserves',
};
