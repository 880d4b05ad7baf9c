import { ACTIONS, type ActionType } from '@oddlot/protocol';
import type { RequestCommand } from '@oddlot/replica/block';

/** The action that a command came from; what a multiSig wrapper carried, not the wrapper. */
export const ACTION_TYPES = {
  placeOrders: 'order',
  cancelOrders: 'cancel',
  cancelByClientId: 'cancelByCloid',
  modifyOrder: 'modify2',
  cancelAll: 'cancelAll',
  scheduleCancel: 'scheduleCancel',
  reversePosition: 'reversePosition',
  approveAgent: 'approveAgent',
  approveBuilder: 'approveBuilderFee',
  revokeBuilder: 'revokeBuilderFee',
  claimBuilderRewards: 'claimBuilderRewards',
  convertToMultiSig: 'convertToMultiSigUser',
  sendToken: 'tokenSend',
  withdraw: 'withdraw3',
  updatePositionMode: 'updatePositionMode',
  updateLeverage: 'updateLeverage',
  updateMarginMode: 'updateMarginMode',
  updateIsolatedMargin: 'updateIsolatedMargin',
  operateOutcome: 'outcomeOperate',
  registerEvent: 'outcomeDeploy',
  registerMarket: 'outcomeDeploy',
  registerSeries: 'outcomeDeploy',
  setTrading: 'outcomeDeploy',
  pushPrice: 'outcomeDeploy',
  resolveMarket: 'outcomeDeploy',
  registerPerp: 'venueAdmin',
  setPerp: 'venueAdmin',
  pushOracle: 'venueAdmin',
  setFeeTiers: 'venueAdmin',
  setGate: 'venueAdmin',
  registerVault: 'venueAdmin',
  treasurySend: 'venueAdmin',
  setOperators: 'venueAdmin',
} as const satisfies Record<RequestCommand['type'], ActionType>;

/** The `type` of the action that a command came from. */
export const actionTypeOf = ({ type }: Pick<RequestCommand, 'type'>): string => ACTION_TYPES[type];

/** The same for a name that the engine gave, which is that of a command. */
export const actionTypeNamed = (command: string): string =>
  Object.hasOwn(ACTION_TYPES, command) ? ACTION_TYPES[command as RequestCommand['type']] : command;

/** The `data.type` of replies to a command. */
export const internalNameOf = ({ type }: Pick<RequestCommand, 'type'>): string =>
  ACTIONS[ACTION_TYPES[type]].internalName;

/** The same for the `type` of an action. */
export const internalNameNamed = (action: string): string =>
  Object.hasOwn(ACTIONS, action) ? ACTIONS[action as ActionType].internalName : action;
