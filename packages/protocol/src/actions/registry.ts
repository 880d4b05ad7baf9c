import type * as z from 'zod';
import {
  approveAgent,
  approveBuilderFee,
  claimBuilderRewards,
  revokeBuilderFee,
} from './approvals.ts';
import {
  cancel,
  cancelAll,
  cancelByCloid,
  modify2,
  order,
  reversePosition,
  scheduleCancel,
} from './orders.ts';
import { convertToMultiSigUser, multiSig } from './multi-sig.ts';
import type { ActionDefinition } from './define-action.ts';
import { outcomeDeploy, outcomeOperate } from './outcomes.ts';
import { tokenSend, withdraw3 } from './transfers.ts';
import {
  updateIsolatedMargin,
  updateLeverage,
  updateMarginMode,
  updatePositionMode,
} from './margin.ts';
import { venueAdmin } from './venue-admin.ts';

/** Every action type of /exchange. */
export const ACTIONS = {
  order,
  cancel,
  cancelByCloid,
  modify2,
  updatePositionMode,
  updateIsolatedMargin,
  updateLeverage,
  updateMarginMode,
  claimBuilderRewards,
  outcomeOperate,
  approveAgent,
  approveBuilderFee,
  revokeBuilderFee,
  tokenSend,
  withdraw3,
  convertToMultiSigUser,
  multiSig,
  outcomeDeploy,
  venueAdmin,
  scheduleCancel,
  cancelAll,
  reversePosition,
} as const;

/** The `type` of an action. */
export type ActionType = keyof typeof ACTIONS;

/** A parsed action of one type: enums in their exact case, addresses in lower case. */
export type ActionOf<Type extends ActionType> = Type extends 'multiSig'
  ? MultiSigAction
  : z.output<(typeof ACTIONS)[Type]['schema']>;

/** An action as a client may write it. */
export type ActionInputOf<Type extends ActionType> = z.input<(typeof ACTIONS)[Type]['schema']>;

/** What a multiSig wrapper may carry: any user action, but no wrapper and no operator action. */
export type InnerActionType = Exclude<ActionType, 'multiSig' | 'outcomeDeploy' | 'venueAdmin'>;

/** A parsed action that a multiSig wrapper carries. */
export type InnerAction = { [Type in InnerActionType]: ActionOf<Type> }[InnerActionType];

type MultiSigOutput = z.output<typeof multiSig.schema>;

/** A parsed multiSig wrapper, its inner action parsed as well. */
export type MultiSigAction = Omit<MultiSigOutput, 'payload'> & {
  payload: Omit<MultiSigOutput['payload'], 'action'> & { action: InnerAction };
};

/** Any parsed action. */
export type Action = { [Type in ActionType]: ActionOf<Type> }[ActionType];

/** Any action as a client may write it. */
export type ActionInput = { [Type in ActionType]: ActionInputOf<Type> }[ActionType];

/** The definition of an action type; undefined for a type that does not exist. */
export function actionDefinition(type: string): ActionDefinition<ActionType> | undefined {
  return Object.hasOwn(ACTIONS, type) ? ACTIONS[type as ActionType] : undefined;
}

/** True for the types that a multiSig wrapper may carry. */
export function isInnerActionType(type: string): type is InnerActionType {
  const definition = actionDefinition(type);
  return definition?.signedBy === 'agent' || definition?.signedBy === 'direct';
}
