import { type Address, present } from '@oddlot/units';
import { checkApproveAgent } from '../auth/agents.ts';
import {
  doesAmendReduce,
  doOrdersReduce,
  gateAmend,
  gateOperation,
  gateOrders,
  gateReversal,
} from '../auth/gate.ts';
import {
  approveAgent,
  checkConvertToMultiSig,
  checkRegisterVault,
  convertToMultiSig,
  registerVault,
} from '../handlers/keys.ts';
import {
  approveBuilder,
  checkApproveBuilder,
  checkClaimBuilderRewards,
  checkRevokeBuilder,
  claimBuilderRewards,
  revokeBuilder,
} from '../handlers/builders.ts';
import {
  announceEra,
  attest,
  checkSetFeeTiers,
  checkSetGate,
  checkSetOperators,
  genesis,
  openEra,
  setFeeTiers,
  setGate,
  setOperators,
} from '../handlers/venue-rules.ts';
import {
  cancelAll,
  cancelByClientId,
  cancelOrders,
  checkCancelByClientId,
  checkScheduleCancel,
  scheduleCancel,
} from '../handlers/cancel-orders.ts';
import {
  checkCreditDeposit,
  checkWithdraw,
  creditDeposit,
  openBridge,
  publishReserves,
  registerPegs,
  settleWithdrawal,
  withdraw,
} from '../handlers/bridge.ts';
import {
  checkCreditFaucet,
  checkSendToken,
  checkTreasurySend,
  creditFaucet,
  sendToken,
  treasurySend,
} from '../handlers/money.ts';
import { checkModifyOrder, modifyOrder } from '../handlers/modify-order.ts';
import { checkOperateOutcome, operateOutcome } from '../handlers/operate-outcome.ts';
import { checkPlaceOrders, placeOrders } from '../handlers/place-orders.ts';
import {
  checkRegisterPerp,
  checkSetPerp,
  pushOracle,
  registerPerp,
  setPerp,
} from '../handlers/perps.ts';
import {
  checkRegisterEvent,
  checkRegisterMarket,
  checkRegisterSeries,
  checkResolveMarket,
  checkSetTrading,
  pushPrice,
  registerEvent,
  registerMarket,
  registerSeries,
  resolveMarket,
  setTrading,
} from '../handlers/outcome-markets.ts';
import { checkReversePosition, reversePosition } from '../handlers/reverse-position.ts';
import {
  checkUpdateIsolatedMargin,
  checkUpdateLeverage,
  checkUpdateMarginMode,
  checkUpdatePositionMode,
  updateIsolatedMargin,
  updateLeverage,
  updateMarginMode,
  updatePositionMode,
} from '../handlers/margin-settings.ts';
import type { Command, SignedCommand, UnsignedCommand } from '../messages/command.ts';
import { targetOfAmend, targetsOfCancels } from '../orders/target-entries.ts';
import {
  CANCEL,
  classOfAmend,
  classOfOrders,
  type CommandTable,
  PASSIVE,
  REST,
  type SignedRules,
  type UnsignedRules,
} from './command-rules.ts';
import { accountAt, type State } from '../state/state.ts';

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

/** R-disk, R-clock: true for a command of an address that a venue still takes when it takes no new risk. */
export function passesRestricted(
  state: State,
  address: Address | undefined,
  command: SignedCommand,
): boolean {
  const { restricted } = signedRules(command);
  if (typeof restricted === 'string') return restricted === 'passes';
  const account = address === undefined ? undefined : accountAt(state, address);
  return account !== undefined && restricted(state, account, command);
}
