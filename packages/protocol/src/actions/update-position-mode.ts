import * as z from 'zod';
import { anyCase } from '../primitives.ts';
import { defineAction } from './define-action.ts';

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
