import * as z from 'zod';
import { anyCase, I32, U32 } from '../primitives.ts';
import { defineAction, NonZero } from './define-action.ts';
import { MarginMode } from './orders.ts';

/** Sets the leverage of one instrument; the sign picks the side in hedge isolated mode. */
export const updateLeverage = defineAction({
  type: 'updateLeverage',
  internalName: 'UpdateLeverage',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('updateLeverage'),
    asset: U32,
    leverage: I32,
    marginMode: MarginMode.optional(),
  }),
});

/** Switches one instrument between cross and isolated margin. */
export const updateMarginMode = defineAction({
  type: 'updateMarginMode',
  internalName: 'UpdateMarginMode',
  signedBy: 'agent',
  schema: z.object({ type: z.literal('updateMarginMode'), asset: U32, isCross: z.boolean() }),
});

/** Adds margin to an isolated position, or removes it: `ntli` is signed micro-USDC. */
export const updateIsolatedMargin = defineAction({
  type: 'updateIsolatedMargin',
  internalName: 'UpdateIsolatedMargin',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('updateIsolatedMargin'),
    asset: U32,
    isBuy: z.boolean(),
    ntli: NonZero,
  }),
});

/** Switches the whole account between one-way and hedge mode. */
export const updatePositionMode = defineAction({
  type: 'updatePositionMode',
  internalName: 'UpdatePositionMode',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('updatePositionMode'),
    positionMode: anyCase(['oneWay', 'hedge']),
  }),
});
