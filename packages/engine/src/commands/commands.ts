import { present } from '@oddlot/units';
import { checkApproveAgent } from '../auth/agents.ts';
import {
  doesAmendReduce,
  doOrdersReduce,
  gateAmend,
  gateOperation,
  gateOrders,
  gateReversal,
} from '../auth/gate.ts';
import { approveAgent } from '../handlers/approve-agent.ts';
import { approveBuilder, checkApproveBuilder } from '../handlers/approve-builder.ts';
import { announceEra } from '../handlers/announce-era.ts';
import { attest } from '../handlers/attest.ts';
import { cancelAll } from '../handlers/cancel-all.ts';
import {
  cancelByClientId,
  cancelOrders,
  checkCancelByClientId,
} from '../handlers/cancel-orders.ts';
import {
  checkClaimBuilderRewards,
  claimBuilderRewards,
} from '../handlers/claim-builder-rewards.ts';
import { checkConvertToMultiSig, convertToMultiSig } from '../handlers/convert-to-multi-sig.ts';
import { checkCreditDeposit, creditDeposit } from '../handlers/credit-deposit.ts';
import { checkCreditFaucet, creditFaucet } from '../handlers/credit-faucet.ts';
import { genesis } from '../handlers/genesis.ts';
import { checkModifyOrder, modifyOrder } from '../handlers/modify-order.ts';
import { openBridge } from '../handlers/open-bridge.ts';
import { openEra } from '../handlers/open-era.ts';
import { checkOperateOutcome, operateOutcome } from '../handlers/operate-outcome.ts';
import { checkPlaceOrders, placeOrders } from '../handlers/place-orders.ts';
import { publishReserves } from '../handlers/publish-reserves.ts';
import { pushOracle } from '../handlers/push-oracle.ts';
import { pushPrice } from '../handlers/push-price.ts';
import { checkRegisterEvent, registerEvent } from '../handlers/register-event.ts';
import { checkRegisterMarket, registerMarket } from '../handlers/register-market.ts';
import { registerPegs } from '../handlers/register-pegs.ts';
import { checkRegisterPerp, registerPerp } from '../handlers/register-perp.ts';
import { checkRegisterSeries, registerSeries } from '../handlers/register-series.ts';
import { checkRegisterVault, registerVault } from '../handlers/register-vault.ts';
import { checkResolveMarket, resolveMarket } from '../handlers/resolve-market.ts';
import { checkReversePosition, reversePosition } from '../handlers/reverse-position.ts';
import { checkRevokeBuilder, revokeBuilder } from '../handlers/revoke-builder.ts';
import { checkScheduleCancel, scheduleCancel } from '../handlers/schedule-cancel.ts';
import { checkSendToken, sendToken } from '../handlers/send-token.ts';
import { checkSetFeeTiers, setFeeTiers } from '../handlers/set-fee-tiers.ts';
import { checkSetGate, setGate } from '../handlers/set-gate.ts';
import { checkSetOperators, setOperators } from '../handlers/set-operators.ts';
import { checkSetPerp, setPerp } from '../handlers/set-perp.ts';
import { checkSetTrading, setTrading } from '../handlers/set-trading.ts';
import { settleWithdrawal } from '../handlers/settle-withdrawal.ts';
import { checkTreasurySend, treasurySend } from '../handlers/treasury-send.ts';
import {
  checkUpdateIsolatedMargin,
  updateIsolatedMargin,
} from '../handlers/update-isolated-margin.ts';
import { checkUpdateLeverage, updateLeverage } from '../handlers/update-leverage.ts';
import { checkUpdateMarginMode, updateMarginMode } from '../handlers/update-margin-mode.ts';
import { checkUpdatePositionMode, updatePositionMode } from '../handlers/update-position-mode.ts';
import { checkWithdraw, withdraw } from '../handlers/withdraw.ts';
import type { Command, SignedCommand, UnsignedCommand } from '../messages/command.ts';
import { targetOfAmend, targetsOfCancels } from '../orders/target-entries.ts';
import { CANCEL, classOfAmend, classOfOrders, PASSIVE, REST } from './block-class.ts';
import type { CommandTable, SignedRules, UnsignedRules } from './command-rules.ts';

/**
 * Everything that the engine can be told. `command-rules.ts` says what each column means; a new command
 * gets its row here and its handler in `handlers/`.
 */
export const COMMANDS: CommandTable = {
  // Orders. An account signs them, or an agent of it.
  placeOrders: {
    signedBy: 'agent',
    class: classOfOrders,
    gate: gateOrders,
    restricted: doOrdersReduce,
    check: checkPlaceOrders,
    execute: placeOrders,
  },
  modifyOrder: {
    signedBy: 'agent',
    class: classOfAmend,
    gate: gateAmend,
    restricted: doesAmendReduce,
    targets: targetOfAmend,
    check: checkModifyOrder,
    execute: modifyOrder,
  },
  cancelOrders: {
    signedBy: 'agent',
    class: CANCEL,
    gate: 'passes',
    restricted: 'passes',
    targets: targetsOfCancels,
    check: eachByItself,
    execute: cancelOrders,
  },
  cancelByClientId: {
    signedBy: 'agent',
    class: CANCEL,
    gate: 'passes',
    restricted: 'passes',
    targets: targetsOfCancels,
    check: checkCancelByClientId,
    execute: cancelByClientId,
  },
  cancelAll: {
    signedBy: 'agent',
    class: CANCEL,
    gate: 'passes',
    restricted: 'passes',
    check: eachByItself,
    execute: cancelAll,
  },
  scheduleCancel: {
    signedBy: 'agent',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkScheduleCancel,
    execute: scheduleCancel,
  },
  reversePosition: {
    signedBy: 'agent',
    class: REST,
    gate: gateReversal,
    restricted: 'stops',
    check: checkReversePosition,
    execute: reversePosition,
  },
  operateOutcome: {
    signedBy: 'agent',
    class: PASSIVE,
    gate: gateOperation,
    restricted: 'stops',
    check: checkOperateOutcome,
    execute: operateOutcome,
  },

  // Settings and margin of positions.
  updateLeverage: {
    signedBy: 'agent',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkUpdateLeverage,
    execute: updateLeverage,
  },
  updateMarginMode: {
    signedBy: 'agent',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkUpdateMarginMode,
    execute: updateMarginMode,
  },
  updateIsolatedMargin: {
    signedBy: 'agent',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkUpdateIsolatedMargin,
    execute: updateIsolatedMargin,
  },
  updatePositionMode: {
    signedBy: 'agent',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkUpdatePositionMode,
    execute: updatePositionMode,
  },

  // Keys and money. No agent signs them, but for a builder's claim, which pays its own account.
  approveAgent: {
    signedBy: 'ownKey',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkApproveAgent,
    execute: approveAgent,
  },
  approveBuilder: {
    signedBy: 'ownKey',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkApproveBuilder,
    execute: approveBuilder,
  },
  revokeBuilder: {
    signedBy: 'ownKey',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkRevokeBuilder,
    execute: revokeBuilder,
  },
  convertToMultiSig: {
    signedBy: 'ownKey',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkConvertToMultiSig,
    execute: convertToMultiSig,
  },
  sendToken: {
    signedBy: 'ownKey',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkSendToken,
    execute: sendToken,
  },
  withdraw: {
    signedBy: 'ownKey',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkWithdraw,
    execute: withdraw,
  },
  claimBuilderRewards: {
    signedBy: 'agent',
    class: PASSIVE,
    gate: 'passes',
    restricted: 'stops',
    check: checkClaimBuilderRewards,
    execute: claimBuilderRewards,
  },

  // The operator's: signed when they come over the wire. From here on all are of class 0.
  registerPerp: { signedBy: 'admins', check: checkRegisterPerp, execute: registerPerp },
  setPerp: { signedBy: 'admins', check: checkSetPerp, execute: setPerp },
  pushOracle: { signedBy: 'admins', check: eachByItself, execute: pushOracle },
  setFeeTiers: { signedBy: 'admins', check: checkSetFeeTiers, execute: setFeeTiers },
  setGate: { signedBy: 'admins', check: checkSetGate, execute: setGate },
  registerVault: { signedBy: 'admins', check: checkRegisterVault, execute: registerVault },
  treasurySend: { signedBy: 'admins', check: checkTreasurySend, execute: treasurySend },
  setOperators: { signedBy: 'admins', check: checkSetOperators, execute: setOperators },
  registerEvent: { signedBy: 'deployers', check: checkRegisterEvent, execute: registerEvent },
  registerMarket: { signedBy: 'deployers', check: checkRegisterMarket, execute: registerMarket },
  registerSeries: { signedBy: 'deployers', check: checkRegisterSeries, execute: registerSeries },
  setTrading: { signedBy: 'deployers', check: checkSetTrading, execute: setTrading },
  pushPrice: { signedBy: 'deployers', check: eachByItself, execute: pushPrice },
  resolveMarket: { signedBy: 'deployers', check: checkResolveMarket, execute: resolveMarket },

  // The process's own: what it brings into the log from the settlement chain and about itself.
  genesis: { signedBy: 'nobody', check: onlyAtExecution, execute: genesis },
  attest: { signedBy: 'nobody', check: onlyAtExecution, execute: attest },
  announceEra: { signedBy: 'nobody', check: onlyAtExecution, execute: announceEra },
  openEra: { signedBy: 'nobody', check: onlyAtExecution, execute: openEra },
  creditFaucet: { signedBy: 'nobody', check: checkCreditFaucet, execute: creditFaucet },
  creditDeposit: { signedBy: 'nobody', check: checkCreditDeposit, execute: creditDeposit },
  settleWithdrawal: { signedBy: 'nobody', check: onlyAtExecution, execute: settleWithdrawal },
  openBridge: { signedBy: 'nobody', check: onlyAtExecution, execute: openBridge },
  registerPegs: { signedBy: 'nobody', check: onlyAtExecution, execute: registerPegs },
  publishReserves: { signedBy: 'nobody', check: onlyAtExecution, execute: publishReserves },
};

/** Never refused as a whole: each cancel or price of it is judged by itself when it executes. */
function eachByItself(): undefined {
  return undefined;
}

/** Nobody asks for it from outside, so there is nobody to refuse it to ahead of its execution. */
function onlyAtExecution(): undefined {
  return undefined;
}

/** The row of a command that an account signed; its functions take just this command. */
export function signedRules({ type }: SignedCommand): SignedRules {
  return present(rowOf(type), 'the row of a signed command') as SignedRules;
}

/** Those that come most often by their names: by a key that varies a table is searched each time. */
function rowOf(type: SignedCommand['type']): CommandTable[SignedCommand['type']] {
  switch (type) {
    case 'placeOrders':
      return COMMANDS.placeOrders;
    case 'cancelOrders':
      return COMMANDS.cancelOrders;
    case 'cancelByClientId':
      return COMMANDS.cancelByClientId;
    case 'modifyOrder':
      return COMMANDS.modifyOrder;
    default:
      return COMMANDS[type];
  }
}

/** The row of any other command. */
export function unsignedRules({ type }: UnsignedCommand): UnsignedRules {
  return present(COMMANDS[type], 'the row of a command') as UnsignedRules;
}

/** Who signs commands of a type. */
export function signerOf(type: Command['type']): CommandTable[Command['type']]['signedBy'] {
  return COMMANDS[type].signedBy;
}
